package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerSpec;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.SandboxRecord;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;

/**
 * Starts attempts in sandboxes that are ready, and none in a pod that is being removed. On launcher
 * threads.
 */
final class Starts {

  private final ContainerStarter starter;
  private final Sandboxes sandboxes;
  private final Map<ContainerKey, Attempt> attempts;
  private final Function<ContainerFile, Attempt> attempt;
  private final Follower follower;
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final Set<PodUid> removing = ConcurrentHashMap.newKeySet(); // added under the write lock

  /** Told of each attempt that runs. */
  interface Follower {
    void follow(Attempt attempt) throws IOException;
  }

  /**
   * Makes it.
   *
   * @param attempts where attempts are kept from before their process exists
   */
  Starts(
      ContainerStarter starter,
      Sandboxes sandboxes,
      Map<ContainerKey, Attempt> attempts,
      Function<ContainerFile, Attempt> attempt,
      Follower follower) {
    this.starter = starter;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.attempt = attempt;
    this.follower = follower;
  }

  /**
   * From now on nothing starts in this pod. Waits for the start under way, whose caller may have
   * left: nobody would end what it starts.
   */
  boolean refuse(PodUid pod) {
    lock.writeLock().lock();
    try {
      return removing.add(pod);
    } finally {
      lock.writeLock().unlock();
    }
  }

  void allow(PodUid pod) {
    removing.remove(pod);
  }

  Attempt start(ContainerSpec spec) throws IOException, RuntimeFailure {
    lock.readLock().lock();
    try {
      var sandbox =
          sandboxes
              .of(spec.key().pod())
              .filter(known -> known.record().state() == SandboxRecord.State.READY)
              .filter(_ -> !removing.contains(spec.key().pod()))
              .orElseThrow(
                  () -> new RuntimeFailure(Kind.WRONG_STATE, spec.key() + ": no ready sandbox"));
      try (var created = starter.create(spec, sandbox)) {
        return start(created, sandbox);
      }
    } finally {
      lock.readLock().unlock();
    }
  }

  private Attempt start(ContainerStarter.Created created, Sandbox sandbox)
      throws IOException, RuntimeFailure {
    var started = attempt.apply(created.file());
    attempts.put(started.key(), started);
    Optional<String> refused;
    try {
      refused = starter.launch(created, sandbox);
    } catch (IOException | RuntimeFailure e) { // nothing ran: the key is free again
      attempts.remove(started.key());
      starter.discard(created);
      throw e;
    }
    if (refused.isPresent() && Sandboxes.hasEnded(sandbox)) {
      attempts.remove(started.key()); // that is why: nothing ran
      starter.discard(created);
      throw new RuntimeFailure(Kind.WRONG_STATE, started.key() + ": its sandbox has ended");
    }
    started.attach();
    if (refused.isPresent()) {
      throw new RuntimeFailure(Kind.START_ERROR, refused.get());
    }
    follower.follow(started);
    return started;
  }
}
