package dev.regroup.cli.ui;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.run.ClusterEvent;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * JobSets, their pods and the events about them, watched while somebody looks: the first who looks
 * begins, the last who leaves ends it. Of pods only what a report needs is kept. Any thread.
 */
final class WatchedCluster implements AutoCloseable {

  /** Is told what changed; quick, on any thread. */
  interface Onlooker {

    Onlooker NOBODY =
        new Onlooker() {
          @Override
          public void read() {}

          @Override
          public void changed(ObjectKey jobSet) {}

          @Override
          public void happened(ClusterEvent event) {}
        };

    /** Everything was read once; from now on the caches can be believed. */
    void read();

    /** A JobSet, or a pod of it. */
    void changed(ObjectKey jobSet);

    void happened(ClusterEvent event);
  }

  private static final String GROUP = "group";

  private final Transport transport;
  private final ListQuery where;
  private final RandomGenerator random;
  private @Nullable Watching watching; // guarded by this; while somebody looks
  private final Set<Thread> keepers = ConcurrentHashMap.newKeySet();

  WatchedCluster(Transport transport, ListQuery where, RandomGenerator random) {
    this.transport = transport;
    this.where = where;
    this.random = random;
  }

  /** Begins to look; the caller closes it. Fails if the cluster does not show its JobSets. */
  Look look(Onlooker onlooker) throws ApiFailure, Transport.Unreachable, InterruptedException {
    new ApiClient(transport).list(Kinds.JOB_SETS, where.withLimit(1));
    synchronized (this) {
      if (watching == null) {
        watching = new Watching();
      }
      return watching.add(onlooker);
    }
  }

  private synchronized void leave(Watching left, Onlooker onlooker) {
    left.onlookers.remove(onlooker);
    if (left.onlookers.isEmpty() && left.equals(watching)) {
      watching = null;
      left.keeper.interrupt();
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      if (watching != null) {
        watching.keeper.interrupt();
        watching = null;
      }
    }
    try {
      for (var keeper : keepers) {
        keeper.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What one of those who look sees. */
  final class Look implements AutoCloseable {

    private final Watching seen;
    private final Onlooker onlooker;

    private Look(Watching seen, Onlooker onlooker) {
      this.seen = seen;
      this.onlooker = onlooker;
    }

    boolean awaitSynced(Duration limit) throws InterruptedException {
      return seen.synced.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    List<ObjectKey> all() {
      return seen.jobSets.all().stream().map(Item::key).toList();
    }

    Optional<ObjectNode> jobSet(ObjectKey key) {
      return seen.jobSets.get(key).map(Item::value);
    }

    List<ObjectNode> pods(ObjectKey jobSet) {
      return seen.pods.find(GROUP, jobSet.toString()).stream().map(Item::value).toList();
    }

    /** Newest last. */
    List<Item<ClusterEvent>> events(ObjectKey jobSet) {
      return seen.events.all().stream()
          .filter(event -> event.value().concerns(jobSet))
          .sorted(Comparator.comparing(event -> event.value().at()))
          .toList();
    }

    @Override
    public void close() {
      leave(seen, onlooker);
    }
  }

  /** One stretch of time in which somebody looks; its thread owns the watches. */
  private final class Watching {

    private final List<Onlooker> onlookers = new CopyOnWriteArrayList<>();
    private final CountDownLatch synced = new CountDownLatch(1);
    private final SharedFeeds feeds;
    private final Informer<ObjectNode> jobSets;
    private final Informer<ObjectNode> pods;
    private final Informer<ClusterEvent> events;
    private final Thread keeper;

    Watching() {
      feeds =
          new SharedFeeds(transport, random)
              .narrow(Kinds.JOB_SETS, where)
              .narrow(Kinds.PODS, where.withLabels(JobSetKeys.JOBSET_NAME))
              .narrow(Kinds.EVENTS, where);
      jobSets =
          feeds
              .<ObjectNode>informer(
                  Kinds.JOB_SETS, jobSet -> jobSet.deepCopy().put("kind", "JobSet"))
              .listen(delta -> tell(delta.key()));
      pods =
          feeds
              .<ObjectNode>informer(Kinds.PODS, WatchedCluster::slim)
              .index(GROUP, pod -> Set.of(group(pod.value()).toString()))
              .listen(this::podChanged);
      events =
          feeds
              .<ClusterEvent>informer(Kinds.EVENTS, ClusterEvent::of)
              .listen(delta ->
                  delta
                      .now()
                      .ifPresent(event -> onlookers.forEach(one -> one.happened(event.value()))));
      keeper = Thread.ofVirtual().name("page-watch").unstarted(this::keep);
      keepers.add(keeper);
      keeper.start();
    }

    Look add(Onlooker onlooker) {
      onlookers.add(onlooker);
      if (synced.getCount() == 0) {
        onlooker.read();
      }
      return new Look(this, onlooker);
    }

    private void keep() {
      try (feeds) {
        feeds.start();
        jobSets.awaitSynced();
        pods.awaitSynced(); // events may come later, or be forbidden
        synced.countDown();
        onlookers.forEach(Onlooker::read);
        new CountDownLatch(1).await(); // until nobody looks any more
      } catch (InterruptedException e) {
        return; // nobody looks any more
      } finally {
        keepers.remove(Thread.currentThread());
      }
    }

    private void podChanged(Delta<ObjectNode> delta) {
      delta.now().or(delta::old).ifPresent(pod -> tell(group(pod.value())));
    }

    private void tell(ObjectKey jobSet) {
      onlookers.forEach(one -> one.changed(jobSet));
    }
  }

  private static ObjectKey group(ObjectNode pod) {
    return new ObjectKey(
        Trees.text(pod, "metadata", "namespace"),
        Trees.text(pod, "metadata", "labels", JobSetKeys.JOBSET_NAME));
  }

  /** What reports and the page read; the rest of a spec is much and the same for all. */
  private static ObjectNode slim(ObjectNode pod) {
    var slim = Wire.object().put("kind", "Pod");
    slim.set("metadata", pod.path("metadata").deepCopy());
    slim.set("status", pod.path("status").deepCopy());
    var spec = slim.putObject("spec");
    for (String field : List.of("hostname", "nodeName")) {
      Trees.textIfPresent(pod, "spec", field).ifPresent(value -> spec.put(field, value));
    }
    for (String field : List.of("initContainers", "containers")) {
      var list = spec.putArray(field);
      for (var container : new ArrayList<>(Trees.objects(pod, "spec", field))) {
        var one = list.addObject().put("name", Trees.text(container, "name"));
        Trees.textIfPresent(container, "restartPolicy")
            .ifPresent(policy -> one.put("restartPolicy", policy));
      }
    }
    return slim;
  }
}
