package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.embedded.cgroup.Cgroups;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.root.HostView;
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
 * Keeps the next attempt of every running container ready to go: a restart is then little more than
 * a fork. Nothing depends on it; what is not ready, or was built on something that has changed
 * since, is made on the spot. The waiting processes end with this program, whatever ends it.
 */
public final class NextAttempts implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(NextAttempts.class.getName());
  private static final Duration SETUP = Duration.ofSeconds(30);
  private static final int MOST = 64;

  private final ContainerPlanner planner;
  private final TapeRunner runner;
  private final HostView host;
  private final PreparedRoots roots;
  private final Preparer preparer;
  private final Cgroups cgroups;
  private final Function<PodUid, Optional<Sandbox>> sandboxes;
  private final Preparer.Chore chore;
  private final Queue<Attempt> started = new ConcurrentLinkedQueue<>();
  private final Map<ContainerKey, NextAttempt> waiting = new ConcurrentHashMap<>();

  public NextAttempts(
      ContainerPlanner planner,
      TapeRunner runner,
      HostView host,
      PreparedRoots roots,
      Preparer preparer,
      Cgroups cgroups,
      Function<PodUid, Optional<Sandbox>> sandboxes) {
    this.planner = planner;
    this.runner = runner;
    this.host = host;
    this.roots = roots;
    this.preparer = preparer;
    this.cgroups = cgroups;
    this.sandboxes = sandboxes;
    this.chore = preparer.chore(this::prepareAll);
  }

  /** How many attempts wait, or will in a moment. */
  public int size() {
    return waiting.size() + started.size();
  }

  /** A container runs: it may need another attempt one day. */
  public void started(Attempt attempt) {
    started.add(attempt);
    chore.later();
  }

  /** The one that was prepared for this, if it is what would be made now. */
  Optional<NextAttempt> take(ContainerConfig spec, Sandbox sandbox)
      throws IOException, RuntimeFailure {
    dropOthers(spec.key());
    var next = waiting.remove(spec.key());
    if (next == null) {
      return Optional.empty();
    }
    if (next.process().waits()
        && next.ground().equals(NextAttempt.Ground.of(spec, sandbox))
        && host.looksLike(next.root().view())) {
      return Optional.of(next);
    }
    discard(next);
    return Optional.empty();
  }

  /** Of another attempt than the one that follows: nobody will ask for it. */
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
    for (var attempt = started.poll(); attempt != null; attempt = started.poll()) {
      if (preparer.isClosed()) {
        return;
      }
      if (waiting.size() >= MOST || !NextAttempt.Ground.possible(attempt.file().spec())) {
        continue;
      }
      try {
        prepare(attempt);
      } catch (IOException
          | RuntimeFailure
          | RuntimeException e) { // a start will say what is wrong
        LOG.log(System.Logger.Level.DEBUG, "cannot prepare what follows " + attempt.key(), e);
      }
    }
    roots.refill(); // for those of which only the root can be prepared
  }

  private void prepare(Attempt attempt) throws IOException, RuntimeFailure {
    var sandbox = sandboxes.apply(attempt.key().pod()).filter(Sandbox::ready);
    if (sandbox.isEmpty() || attempt.record().state() != State.RUNNING) {
      return;
    }
    if (sandbox.get().spec().processes() == SandboxSpec.Processes.HOST) {
      return; // it has a group of its own, as with limits
    }
    var spec = attempt.file().spec().next();
    var next = make(spec, sandbox.get());
    waiting.put(spec.key(), next);
    var now = sandboxes.apply(spec.key().pod()).flatMap(Sandbox::supervisor);
    if (attempt.record().state() != State.RUNNING || !now.equals(next.ground().sandbox())) {
      if (waiting.remove(spec.key(), next)) { // too late: nobody will ask for it, or has already
        discard(next);
      }
    }
  }

  private NextAttempt make(ContainerConfig spec, Sandbox sandbox)
      throws IOException, RuntimeFailure {
    var ground = NextAttempt.Ground.of(spec, sandbox); // first: a later change is noticed later
    var root = roots.make();
    try (root) {
      Path log = root.directory().resolve(NextAttempt.LOG);
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
        var process = runner.prepare(tape, Attempt.argv(spec.key()), fds, SETUP);
        return new NextAttempt(ground, root, plan, process);
      }
    } catch (IOException | RuntimeException e) {
      roots.discard(root);
      throw e;
    }
  }

  private void discard(NextAttempt next) throws IOException {
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
