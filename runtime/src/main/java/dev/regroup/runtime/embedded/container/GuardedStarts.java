package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.SandboxRecord;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.sandbox.Sandbox;
import dev.regroup.runtime.embedded.sandbox.Sandboxes;
import dev.regroup.runtime.linux.SpareFds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Starts sandboxes and runs in them, and nothing in a pod that is being removed. Starts run on
 * launcher threads.
 */
public final class GuardedStarts {

  /** A start takes half a minute at most, for a sandbox and for a run. */
  private static final Duration LONGEST = Duration.ofMinutes(2);

  /** Descriptors of a run, and one to read its files with. */
  private static final int TO_LOOK_AFTER = 4;

  private final ContainerStarter starter;
  private final Sandboxes sandboxes;
  private final Runs runs;
  private final Function<ContainerFile, ContainerRun> runOf;
  private final Follower follower;
  private final Map<PodUid, Integer> underWay = new HashMap<>(); // guarded by this
  private final Map<PodUid, Integer> removals = new HashMap<>(); // guarded by this

  /** Told of each run whose command lives. */
  public interface Follower {
    void follow(ContainerRun run) throws IOException;
  }

  /** Work for one pod that must not meet its removal. */
  private interface Start<T> {
    T run() throws IOException, RuntimeFailure;
  }

  /**
   * Makes it.
   *
   * @param runs where runs are kept from before their process exists
   */
  public GuardedStarts(
      ContainerStarter starter,
      Sandboxes sandboxes,
      Runs runs,
      Function<ContainerFile, ContainerRun> runOf,
      Follower follower) {
    this.starter = starter;
    this.sandboxes = sandboxes;
    this.runs = runs;
    this.runOf = runOf;
    this.follower = follower;
  }

  /**
   * From now on nothing starts in this pod, until {@link #allow}. Waits for the start under way:
   * nobody else would end what it starts.
   */
  public synchronized void refuse(PodUid pod) throws RuntimeFailure, InterruptedException {
    removals.merge(pod, 1, Integer::sum);
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (underWay.containsKey(pod)) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new RuntimeFailure(Kind.TIMED_OUT, "pod " + pod + ": a start does not end");
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  public synchronized void allow(PodUid pod) {
    less(removals, pod);
  }

  private static void less(Map<PodUid, Integer> counts, PodUid pod) {
    counts.computeIfPresent(pod, (_, count) -> count == 1 ? null : count - 1);
  }

  public SandboxRecord startSandbox(SandboxSpec spec) throws IOException, RuntimeFailure {
    return unlessRemoved(spec.pod(), () -> sandboxes.start(spec));
  }

  public ContainerRun start(ContainerConfig spec) throws IOException, RuntimeFailure {
    return unlessRemoved(spec.key().pod(), () -> startReady(spec));
  }

  private <T> T unlessRemoved(PodUid pod, Start<T> start) throws IOException, RuntimeFailure {
    synchronized (this) {
      if (removals.containsKey(pod)) {
        throw new RuntimeFailure(Kind.WRONG_STATE, "pod " + pod + " is being removed");
      }
      underWay.merge(pod, 1, Integer::sum);
    }
    try {
      return start.run();
    } finally {
      synchronized (this) {
        less(underWay, pod);
        notifyAll();
      }
    }
  }

  private ContainerRun startReady(ContainerConfig spec) throws IOException, RuntimeFailure {
    var sandbox =
        sandboxes
            .of(spec.key().pod())
            .filter(known -> known.record().state() == SandboxRecord.State.READY)
            .orElseThrow(
                () -> new RuntimeFailure(Kind.WRONG_STATE, spec.key() + ": no ready sandbox"));
    try {
      return createAndStart(spec, sandbox);
    } catch (ContainerStarter.WaitedInVain e) {
      return createAndStart(spec, sandbox); // from the beginning: nothing is prepared any more
    }
  }

  private ContainerRun createAndStart(ContainerConfig spec, Sandbox sandbox)
      throws IOException, RuntimeFailure {
    try (var created = starter.create(spec, sandbox)) {
      return start(created, sandbox);
    }
  }

  private ContainerRun start(ContainerStarter.Created created, Sandbox sandbox)
      throws IOException, RuntimeFailure {
    var started = runOf.apply(created.file());
    runs.add(started);
    ContainerStarter.Launch launch;
    try (var spare = SpareFds.take(TO_LOOK_AFTER)) {
      launch = starter.launch(created, sandbox);
      spare.close();
      if (launch.refusal().isPresent() && Sandboxes.hasEnded(sandbox)) { // that is why
        throw new RuntimeFailure(Kind.WRONG_STATE, started.key() + ": its sandbox has ended");
      }
      lookAfter(started, launch);
    } catch (IOException | RuntimeFailure e) { // nothing runs: the key is free again
      runs.remove(started.key());
      starter.discard(created);
      throw e;
    }
    if (launch.refusal().isPresent()) {
      throw new RuntimeFailure(Kind.START_ERROR, RuntimeRecord.REFUSED + launch.refusal().get());
    }
    return started;
  }

  /** What nobody can look after, because descriptors are short, must not run. */
  private void lookAfter(ContainerRun started, ContainerStarter.Launch launch) throws IOException {
    try {
      started.attach();
      if (launch.refusal().isEmpty()) {
        follower.follow(started);
      }
    } catch (IOException | UncheckedIOException e) {
      launch.process().end();
      started.detach();
      throw e instanceof IOException failure ? failure : ((UncheckedIOException) e).getCause();
    }
  }
}
