package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events of the core group: about an object of their own namespace. */
final class EventRules implements KindRules {

  @Override
  public List<FieldError> check(ObjectNode event, @Nullable ObjectNode old) {
    String namespace = Trees.text(event, "metadata", "namespace");
    String about = Trees.text(event, "involvedObject", "namespace");
    boolean clusterWide = about.isEmpty() && namespace.equals("default");
    return about.equals(namespace) || clusterWide || about.isEmpty()
        ? List.of()
        : List.of(
            invalid(
                FieldPath.of("involvedObject", "namespace"),
                about,
                "does not match event.namespace"));
  }

  @Override
  public void fill(ObjectNode event) {
    Trees.child(event, "involvedObject");
    Trees.child(event, "source");
    if (!Trees.has(event, "reportingComponent")) {
      event.put("reportingComponent", "");
    }
    if (!Trees.has(event, "reportingInstance")) {
      event.put("reportingInstance", "");
    }
  }
}
