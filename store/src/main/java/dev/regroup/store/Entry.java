package dev.regroup.store;

import java.util.Objects;

/**
 * One stored object as of one revision. The bytes are shared by all readers: never change them.
 *
 * @param revision the write that made these bytes
 * @param createdRevision the write that made the key exist
 */
public record Entry(
    String collection, String key, long revision, long createdRevision, byte[] value) {

  public Entry {
    Objects.requireNonNull(collection, "collection");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    if (createdRevision < 1 || revision < createdRevision) {
      throw new IllegalArgumentException(
          "revision: must not be before createdRevision, got %d and %d"
              .formatted(revision, createdRevision));
    }
  }
}
