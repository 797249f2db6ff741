package dev.regroup.client.informer;

import dev.regroup.client.ObjectKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One informer that several controllers share: they add their listeners, then whoever wires them
 * starts it once. What can be looked up beside the key is said by the feed of each kind.
 */
public abstract class SharedInformer<V> implements AutoCloseable {

  private final Informer<V> informer;

  protected SharedInformer(Informer<V> informer) {
    this.informer = informer;
  }

  /** Before {@link #start}. */
  public final void listen(Consumer<? super Delta<V>> listener) {
    informer.listen(listener);
  }

  public final void start() {
    informer.start();
  }

  /** Whether the first list is in: before that nobody may conclude that something is missing. */
  public final boolean synced() {
    return informer.synced();
  }

  public final boolean awaitSynced(Duration timeout) throws InterruptedException {
    return informer.awaitSynced(timeout);
  }

  public final Optional<Item<V>> get(ObjectKey key) {
    return informer.get(key);
  }

  protected final List<Item<V>> find(String index, String value) {
    return informer.find(index, value);
  }

  @Override
  public final void close() {
    informer.close();
  }
}
