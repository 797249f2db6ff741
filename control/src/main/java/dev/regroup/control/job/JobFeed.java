package dev.regroup.control.job;

import dev.regroup.client.Delta;
import dev.regroup.client.Informer;
import dev.regroup.client.Item;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.control.Kinds;
import dev.regroup.control.Owner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The one informer on Jobs, shared by the controllers of Jobs and JobSets. */
public final class JobFeed implements AutoCloseable {

  private static final String CONTROLLER = "controller";
  private static final String NAMESPACE = "namespace";

  private final Informer<JobView> informer;

  public JobFeed(Transport transport, RandomGenerator random) {
    this.informer =
        new Informer<JobView>(transport, Kinds.JOBS, ListQuery.ALL, JobWire::read, random)
            .index(CONTROLLER, item -> item.value().controller().map(Owner::uid).stream().toList())
            .index(NAMESPACE, item -> List.of(item.key().namespace()));
  }

  /** Before {@link #start}. */
  public void listen(Consumer<? super Delta<JobView>> listener) {
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

  public Optional<Item<JobView>> get(ObjectKey key) {
    return informer.get(key);
  }

  public List<Item<JobView>> controlledBy(String uid) {
    return informer.find(CONTROLLER, uid);
  }

  public List<Item<JobView>> in(String namespace) {
    return informer.find(NAMESPACE, namespace);
  }

  @Override
  public void close() {
    informer.close();
  }
}
