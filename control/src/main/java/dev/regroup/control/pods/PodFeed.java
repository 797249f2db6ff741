package dev.regroup.control.pods;

import dev.regroup.client.Delta;
import dev.regroup.client.Informer;
import dev.regroup.client.Item;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.control.Kinds;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The one informer on pods, shared by the controllers of Jobs and JobSets. */
public final class PodFeed implements AutoCloseable {

  private static final String CONTROLLER = "controller";
  private static final String ORPHANS = "orphans";
  private static final String NODE = "node";

  private final Informer<PodView> informer;

  public PodFeed(Transport transport, RandomGenerator random) {
    this.informer =
        new Informer<PodView>(transport, Kinds.PODS, ListQuery.ALL, PodReader::read, random)
            .index(
                CONTROLLER, item -> item.value().controller().map(o -> o.uid()).stream().toList())
            .index(
                ORPHANS,
                item ->
                    item.value().controller().isEmpty()
                        ? List.of(item.key().namespace())
                        : List.of())
            .index(
                NODE,
                item -> item.value().node().isEmpty() ? List.of() : List.of(item.value().node()));
  }

  /** Before {@link #start}. */
  public void listen(Consumer<? super Delta<PodView>> listener) {
    informer.listen(listener);
  }

  public void start() {
    informer.start();
  }

  /** Whether the first list is in: before that nobody may conclude that something is missing. */
  public boolean synced() {
    return informer.synced();
  }

  public boolean awaitSynced(Duration timeout) throws InterruptedException {
    return informer.awaitSynced(timeout);
  }

  public Optional<Item<PodView>> get(ObjectKey key) {
    return informer.get(key);
  }

  public List<Item<PodView>> controlledBy(String uid) {
    return informer.find(CONTROLLER, uid);
  }

  /** Pods of a namespace that nobody controls. */
  public List<Item<PodView>> orphans(String namespace) {
    return informer.find(ORPHANS, namespace);
  }

  public List<Item<PodView>> onNode(String node) {
    return informer.find(NODE, node);
  }

  @Override
  public void close() {
    informer.close();
  }
}
