package dev.regroup.client.informer;

import dev.regroup.client.ObjectKey;
import java.util.Optional;

/**
 * How one object changed in an informer's cache. An object that was deleted and made again under
 * the same name is removed, then added: never updated.
 */
public sealed interface Delta<S> {

  record Added<S>(Item<S> item) implements Delta<S> {}

  record Updated<S>(Item<S> before, Item<S> item) implements Delta<S> {}

  record Removed<S>(Item<S> before) implements Delta<S> {}

  /** What was in the cache before. */
  default Optional<Item<S>> old() {
    return switch (this) {
      case Added<S> _ -> Optional.empty();
      case Updated<S>(Item<S> before, _) -> Optional.of(before);
      case Removed<S>(Item<S> before) -> Optional.of(before);
    };
  }

  /** What is in the cache now. */
  default Optional<Item<S>> now() {
    return switch (this) {
      case Added<S>(Item<S> item) -> Optional.of(item);
      case Updated<S>(_, Item<S> item) -> Optional.of(item);
      case Removed<S> _ -> Optional.empty();
    };
  }

  default ObjectKey key() {
    return switch (this) {
      case Added<S>(Item<S> item) -> item.key();
      case Updated<S>(_, Item<S> item) -> item.key();
      case Removed<S>(Item<S> before) -> before.key();
    };
  }
}
