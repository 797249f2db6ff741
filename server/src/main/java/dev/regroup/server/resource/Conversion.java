package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.Optional;

/** Two forms of one object: how it is served, and how it is stored. Pure; trees are not changed. */
public interface Conversion {

  /** Served as stored: nearly every kind. */
  Conversion NONE =
      new Conversion() {
        @Override
        public Optional<GroupVersionKind> storedKind() {
          return Optional.empty();
        }

        @Override
        public ObjectNode toStored(ObjectNode served) {
          return served;
        }

        @Override
        public ObjectNode toServed(ObjectNode stored) {
          return stored;
        }
      };

  /** The kind that is stored, when it is another one than the served. */
  Optional<GroupVersionKind> storedKind();

  /** Whether stored bytes are served as they are. */
  default boolean servesAsStored() {
    return storedKind().isEmpty();
  }

  ObjectNode toStored(ObjectNode served);

  ObjectNode toServed(ObjectNode stored);
}
