package dev.regroup.node.worker;

import dev.regroup.api.pod.PodSpecs;
import dev.regroup.client.ObjectKey;
import dev.regroup.node.pod.EffectFailure;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.NodeServices;
import dev.regroup.node.pod.PodDirectory;
import dev.regroup.node.pod.PodThreads;
import dev.regroup.node.pod.Pokes;
import dev.regroup.rules.pod.PodSpec.PodId;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.runtime.FileTrees;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.StopOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of all pods of this node: one per pod the API server shows, made and ended here. The
 * thread that follows pods calls {@link #show} and {@link #gone}; nothing of a pod that is gone
 * stays behind.
 */
public final class PodWorkers {

  private static final Logger LOG = LoggerFactory.getLogger(PodWorkers.class);

  /** Grace for pods only the runtime knows: 2 s. */
  private static final Duration ORPHAN_GRACE = Duration.ofSeconds(2);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

  private record Unit(PodWorker worker, PodDriver driver, Pokes pokes) {}

  /** Who to poke. Any thread. */
  public static final class Index {
    private final Map<PodUid, Unit> units = new ConcurrentHashMap<>();
    private final Map<ObjectKey, Map<PodUid, Pokes>> groups = new ConcurrentHashMap<>();
    private final Semaphore ends = new Semaphore(0);

    /** Something of this pod ended. */
    public void poke(PodUid pod) {
      ends.drainPermits(); // one is enough for whoever waits
      ends.release();
      var unit = units.get(pod);
      if (unit != null) {
        unit.pokes().poke();
      }
    }

    /** The JobSet of this name says something new. */
    public void pokeGroup(String namespace, String jobSet) {
      groups.getOrDefault(new ObjectKey(namespace, jobSet), Map.of()).values().forEach(Pokes::poke);
    }

    private void add(PodUid uid, Unit unit) {
      units.put(uid, unit);
      group(unit.driver().view()).ifPresent(group -> join(group, uid, unit.pokes()));
    }

    private @Nullable Unit remove(PodUid uid) {
      var unit = units.remove(uid);
      if (unit != null) {
        group(unit.driver().view()).ifPresent(group -> leave(group, uid));
      }
      return unit;
    }

    /** A pod may change its labels. */
    private void update(PodUid uid, Unit unit, NodePod newer) {
      var before = group(unit.driver().view());
      var now = group(newer);
      if (!now.equals(before)) {
        before.ifPresent(group -> leave(group, uid));
        now.ifPresent(group -> join(group, uid, unit.pokes()));
      }
      unit.driver().update(newer);
    }

    private void join(ObjectKey group, PodUid uid, Pokes pokes) {
      groups.compute(
          group,
          (_, known) -> {
            var members = known == null ? new ConcurrentHashMap<PodUid, Pokes>() : known;
            members.put(uid, pokes);
            return members;
          });
    }

    private void leave(ObjectKey group, PodUid uid) {
      groups.computeIfPresent(
          group,
          (_, members) -> {
            members.remove(uid);
            return members.isEmpty() ? null : members;
          });
    }

    private static Optional<ObjectKey> group(NodePod view) {
      return PodSpecs.jobSet(view.pod()).map(name -> new ObjectKey(view.namespace(), name));
    }
  }

  private final NodeServices services;
  private final PodWorker.Setting setting;
  private final Index index;
  private final PodThreads removals = new PodThreads();

  public PodWorkers(NodeServices services, PodWorker.Setting setting, Index index) {
    this.services = services;
    this.setting = setting;
    this.index = index;
  }

  /** The API server shows this revision of a pod of ours. Touches no file: the worker does. */
  public void show(NodePod view) {
    var uid = new PodUid(view.uid());
    var known = index.units.get(uid);
    if (known != null) {
      index.update(uid, known, view);
      return;
    }
    var pokes = new Pokes();
    var driver = new PodDriver(view, services, setting.rules(), pokes);
    var worker = new PodWorker(view.key(), driver, pokes, setting);
    index.add(uid, new Unit(worker, driver, pokes));
    worker.start();
  }

  /** The API server does not have this pod any more: end what still runs, forget everything. */
  public void gone(PodUid uid, String name) {
    var unit = index.remove(uid);
    removals.start(
        "remove-" + name,
        () -> {
          if (unit != null) {
            unit.worker().stop();
            unit.driver().stop();
          }
          remove(uid);
        });
  }

  /** What runtime and disk still have of pods nobody knows any more. */
  public void removeLeftovers() {
    var leftovers = new TreeSet<PodUid>(services.runtime().pods());
    leftovers.addAll(onDisk());
    leftovers.removeAll(index.units.keySet());
    for (var uid : leftovers) {
      removals.start("remove-" + uid, () -> remove(uid));
    }
  }

  /**
   * Waits until nothing runs any more of pods that may have been replaced: those the API server has
   * forgotten, and those it shows as ended. False when the time is over.
   */
  public boolean awaitEndOfAbandoned(Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (services.runtime().pods().stream().anyMatch(this::isAbandonedAndRuns)) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      var _ = index.ends.tryAcquire(Math.min(left, LOOK_AGAIN.toNanos()), TimeUnit.NANOSECONDS);
    }
    return true;
  }

  private boolean isAbandonedAndRuns(PodUid uid) {
    var unit = index.units.get(uid);
    return (unit == null || unit.driver().view().isGivenUp())
        && services.runtime().containers(uid).stream()
            .anyMatch(record -> record.state() == RuntimeRecord.State.RUNNING);
  }

  /** The status the node last planned for a pod. */
  public Optional<PodStatus> status(PodUid uid) {
    var unit = index.units.get(uid);
    return unit == null ? Optional.empty() : Optional.of(unit.driver().status());
  }

  /** All pods of this node, each with the status the node last planned for it. */
  public Map<PodId, PodStatus> known() {
    Map<PodId, PodStatus> all = new HashMap<>();
    for (var unit : index.units.values()) {
      all.put(unit.driver().view().spec().id(), unit.driver().status());
    }
    return all;
  }

  /** Ends all workers; containers keep running. */
  public void stop() throws InterruptedException {
    var units = new ArrayList<>(index.units.values());
    index.units.clear();
    index.groups.clear();
    for (var unit : units) {
      unit.worker().stop();
      unit.driver().stop();
    }
    removals.stop();
  }

  private java.util.List<PodUid> onDisk() {
    var directory = services.directory().resolve("pods");
    if (!Files.isDirectory(directory)) {
      return java.util.List.of();
    }
    try (var entries = Files.list(directory)) {
      return entries.map(Path::getFileName).map(name -> new PodUid(name.toString())).toList();
    } catch (IOException e) {
      LOG.warn("cannot look for leftovers: {}", e.getMessage());
      return java.util.List.of();
    }
  }

  private void remove(PodUid uid) throws InterruptedException {
    var retries = EffectFailure.retries();
    while (true) {
      try {
        stopAll(uid);
        services.runtime().removePod(uid);
        FileTrees.delete(PodDirectory.of(services.directory(), uid).root());
        return;
      } catch (RuntimeFailure | IOException | RuntimeException e) { // it must not stay behind
        LOG.warn("pod {} is gone but cannot be removed yet: {}", uid, e.getMessage());
        Thread.sleep(retries.next());
      }
    }
  }

  private void stopAll(PodUid uid) {
    var order = StopOrder.gracefully(ORPHAN_GRACE);
    try (var scope = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var record : services.runtime().containers(uid)) {
        if (record.state() == RuntimeRecord.State.RUNNING) {
          var _ = scope.submit(() -> services.runtime().stop(record.key(), order));
        }
      }
    }
  }
}
