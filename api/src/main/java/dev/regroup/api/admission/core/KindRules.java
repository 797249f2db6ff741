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

  default List<String> warnings() {
    return List.of();
  }

  /** Whether {@code status} is written through its own subresource. */
  default boolean hasStatus() {
    return false;
  }

  /** Whether changes outside metadata and status are counted in {@code generation}. */
  default boolean hasGeneration() {
    return false;
  }
}
