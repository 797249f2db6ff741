package dev.regroup.api.admission.core;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one kind adds to the checks all kinds share. The default is nothing. */
interface KindRules {

  KindRules NONE = new KindRules() {};

  /** Fills in what decoding sets: it belongs to who wrote the object. */
  default void fill(ObjectNode object) {}

  /** Fills in what the server decides when it stores the object: it belongs to nobody. */
  default void complete(ObjectNode object) {}

  /** The status of a new object, if the kind has one. */
  default void begin(ObjectNode object) {}

  default List<FieldError> check(ObjectNode object, @Nullable ObjectNode old) {
    return List.of();
  }

  /** Checks of a change of the status alone. */
  default List<FieldError> checkStatus(ObjectNode object, ObjectNode old) {
    return check(object, old);
  }

  /** Takes over from the stored object what a change of the whole may not touch, or drops. */
  default void keep(ObjectNode object, ObjectNode old) {}

  /** Asked once the object has passed. */
  default List<String> warnings(ObjectNode object) {
    return List.of();
  }

  /** Whether {@code status} is written through its own subresource. */
  default boolean hasStatus() {
    return false;
  }

  /** Whether a new object may bring its status along. */
  default boolean keepsFirstStatus() {
    return false;
  }

  /** Whether a new object begins with {@code generation} 1. */
  default boolean hasGeneration() {
    return false;
  }

  /** Whether the generation moves with this change: by default outside metadata and status. */
  default boolean movesGeneration(ObjectNode object, ObjectNode old) {
    return hasGeneration() && !content(object).equals(content(old));
  }

  private static ObjectNode content(ObjectNode object) {
    ObjectNode copy = object.deepCopy();
    copy.remove(List.of("metadata", "status"));
    return copy;
  }
}
