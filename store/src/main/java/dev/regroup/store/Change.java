package dev.regroup.store;

import org.jspecify.annotations.Nullable;

/**
 * One committed write of one key. The bytes are shared by all watchers: never change them.
 *
 * @param value what was put, or the last value of what was deleted
 * @param previousValue what the key held before; null when it did not exist
 */
public record Change(
    Type type, long revision, String key, byte[] value, byte @Nullable [] previousValue)
    implements CursorNews {

  public enum Type {
    PUT,
    DELETE
  }
}
