package dev.regroup.api.admission.review;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.structural.CustomKind;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Port to other stored objects that a check needs (service accounts, priority classes, claims). The
 * server answers from its store, a webhook from its cache; a test from a map.
 */
@FunctionalInterface
public interface Lookup {

  /** Nothing else exists. */
  Lookup NOTHING = (_, _, _, _) -> Optional.empty();

  /** The object, or empty; {@code namespace} is null for kinds without one. */
  Optional<ObjectNode> find(
      String apiVersion, String kind, @Nullable String namespace, String name);

  /** What is known of a kind that came with a definition; empty for the built-in ones. */
  default Optional<CustomKind> custom(GroupVersionKind kind) {
    return Optional.empty();
  }

  /** All objects of a namespace whose names begin so; none where nobody keeps a list. */
  default List<ObjectNode> named(String apiVersion, String kind, String namespace, String prefix) {
    return List.of();
  }
}
