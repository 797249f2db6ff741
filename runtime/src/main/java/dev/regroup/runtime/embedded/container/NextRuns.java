package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.embedded.cgroup.Cgroups;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.root.PreparedRoots;
import dev.regroup.runtime.embedded.sandbox.Sandbox;
import dev.regroup.runtime.embedded.supervision.Preparer;
import dev.regroup.runtime.embedded.tapes.ContainerTape;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.process.LifeLock;
import dev.regroup.runtime.process.TapeRunner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * Keeps the next run of every running container ready to go: a restart is then little more than an
 * execve. Nothing depends on it; what is not ready, or was built on something that has changed
 * since, is made on the spot. The waiting processes end with this program, whatever ends it.
 */
public final class NextRuns implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(NextRuns.class.getName());
  private static final Duration SETUP = Duration.ofSeconds(30);
  private static final int MOST = 64;

  private final ContainerPlanner planner;
  private final TapeRunner runner;
  private final PreparedRoots roots;
  private final Preparer preparer;
  private final Cgroups cgroups;
  private final Function<PodUid, Optional<Sandbox>> sandboxes;
  private final Preparer.Chore chore;
  private final Queue<ContainerRun> started = new ConcurrentLinkedQueue<>();
  private final Map<ContainerKey, NextRun> waiting = new ConcurrentHashMap<>();

  public NextRuns(
      ContainerPlanner planner,
      TapeRunner runner,
      PreparedRoots roots,
      Preparer preparer,
      Cgroups cgroups,
      Function<PodUid, Optional<Sandbox>> sandboxes) {
    this.planner = planner;
    this.runner = runner;
    this.roots = roots;
    this.preparer = preparer;
    this.cgroups = cgroups;
    this.sandboxes = sandboxes;
    this.chore = preparer.chore(this::prepareAll);
  }

  /** How many runs wait, or will in a moment. */
  public int size() {
    return waiting.size() + started.size();
  }

  /** A container runs: it may need another run one day. */
  public void started(ContainerRun run) {
    started.add(run);
    chore.later();
  }

  /** The one that was prepared for this, if it is what would be made now. */
  Optional<NextRun> take(ContainerConfig spec, Sandbox sandbox) throws IOException, RuntimeFailure {
    dropOthers(spec.key());
    var next = waiting.remove(spec.key());
    if (next == null) {
      return Optional.empty();
    }
    boolean fits = false;
    try {
      fits =
          next.process().waits()
              && next.ground().equals(NextRun.Ground.of(spec, sandbox))
              && next.root().view().isCurrent();
    } finally {
      if (!fits) { // also when nobody can say: it is no longer among those that end with the pod
        discard(next);
      }
    }
    return fits ? Optional.of(next) : Optional.empty();
  }

  /** Of another run than the one that follows: nobody will ask for it. */
  private void dropOthers(ContainerKey key) throws IOException {
    for (ContainerKey other : keysOf(key.pod())) {
      if (other.name().equals(key.name()) && !other.equals(key)) {
        drop(other);
      }
    }
  }

  private void drop(ContainerKey key) throws IOException {
    var next = waiting.remove(key);
    if (next != null) {
      discard(next);
    }
  }

  /** The pod's sandbox ends: what waits inside would keep it alive. */
  public void forget(PodUid pod) throws IOException {
    for (ContainerKey key : keysOf(pod)) {
      drop(key);
    }
  }

  private List<ContainerKey> keysOf(PodUid pod) {
    return waiting.keySet().stream().filter(key -> key.pod().equals(pod)).toList();
  }

  private void prepareAll() {
    for (var run = started.poll(); run != null; run = started.poll()) {
      if (preparer.isClosed()) {
        return;
      }
      if (waiting.size() >= MOST || !NextRun.Ground.possible(run.file().spec())) {
        continue;
      }
      try {
        prepare(run);
      } catch (IOException
          | RuntimeFailure
          | RuntimeException e) { // a start will say what is wrong
        LOG.log(System.Logger.Level.DEBUG, "cannot prepare what follows " + run.key(), e);
      }
    }
    roots.refill(); // for those of which only the root can be prepared
  }

  private void prepare(ContainerRun run) throws IOException, RuntimeFailure {
    var sandbox = sandboxes.apply(run.key().pod()).filter(Sandbox::ready);
    if (sandbox.isEmpty() || run.record().state() != State.RUNNING) {
      return;
    }
    if (sandbox.get().spec().processes() != SandboxSpec.Processes.OWN) {
      return; // others would see what waits; and among the host's it has a group of its own
    }
    var spec = run.file().spec().next();
    var next = make(spec, sandbox.get());
    waiting.put(spec.key(), next);
    var now = sandboxes.apply(spec.key().pod()).flatMap(Sandbox::supervisor);
    if (run.record().state() != State.RUNNING || !now.equals(next.ground().sandbox())) {
      if (waiting.remove(spec.key(), next)) { // too late: nobody will ask for it, or has already
        discard(next);
      }
    }
  }

  private NextRun make(ContainerConfig spec, Sandbox sandbox) throws IOException, RuntimeFailure {
    var ground = NextRun.Ground.of(spec, sandbox); // first: a later change is noticed later
    var root = roots.make();
    try (root) {
      Path log = root.directory().resolve(NextRun.LOG);
      var plan =
          planner.plan(
              spec,
              root.directory(),
              log,
              sandbox,
              root,
              ground,
              cgroups.membership(List.of(), spec.user().privilege()));
      var tape = ContainerTape.prepared(plan);
      try (Fd lock = LifeLock.take(root.directory().resolve(Layout.LOCK))) {
        var fds = new ArrayList<>(List.of(lock, sandbox.supervisor().orElseThrow().pidfd()));
        fds.addAll(root.mounts());
        var process = runner.prepare(tape, ContainerRun.argv(spec.key()), fds, SETUP);
        return new NextRun(ground, root, plan, process);
      }
    } catch (IOException | RuntimeException e) {
      roots.discard(root);
      throw e;
    }
  }

  private void discard(NextRun next) throws IOException {
    next.process().close();
    roots.discard(next.root());
  }

  /** After the preparer. */
  @Override
  public void close() {
    for (var next : waiting.values()) {
      next.process().close(); // the directories go with those of all that was prepared
    }
    waiting.clear();
  }
}
