package dev.regroup.control.job;

import dev.regroup.client.informer.Item;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.rules.job.JobBackOff;
import dev.regroup.rules.job.JobPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the controller remembers of one Job: its own writes that its cache does not show yet
 * (JB-41), and the delay before replacements (JB-80). Losing it is harmless. The pod informer's
 * thread tells what it has seen, the Job's worker does the rest.
 */
final class JobMemory {

  /** A write whose echo never came (the pod was gone before it was seen) is forgotten. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Map<String, Instant> created = new ConcurrentHashMap<>();
  private final Map<String, Instant> deleted = new ConcurrentHashMap<>();
  private final Set<String> untracked = ConcurrentHashMap.newKeySet();
  private volatile JobBackOff backOff = JobBackOff.NONE;
  private volatile @Nullable Item<JobView> written;

  JobBackOff backOff() {
    return backOff;
  }

  void keep(JobBackOff next) {
    backOff = next;
  }

  void created(String uid, Instant now) {
    created.put(uid, now);
  }

  void deleted(String uid, Instant now) {
    deleted.put(uid, now);
  }

  void untracked(String uid) {
    untracked.add(uid);
  }

  /** The finalizer of this pod has been taken away, whatever the cache shows. */
  boolean isUntracked(String uid) {
    return untracked.contains(uid);
  }

  /** A pod is in the cache now, in this state. */
  void saw(String uid, ControlledPod pod) {
    created.remove(uid);
    if (pod.job().terminating()) {
      deleted.remove(uid);
    }
    if (!pod.job().tracked()) {
      untracked.remove(uid);
    }
  }

  void sawGone(String uid) {
    created.remove(uid);
    deleted.remove(uid);
    untracked.remove(uid);
  }

  JobPlan.Sight sight(Instant now) {
    created.values().removeIf(at -> at.plus(PATIENCE).isBefore(now));
    deleted.values().removeIf(at -> at.plus(PATIENCE).isBefore(now));
    return created.isEmpty() && deleted.isEmpty() ? JobPlan.Sight.CLEAR : JobPlan.Sight.BLURRED;
  }

  void wrote(Item<JobView> job) {
    written = job;
  }

  /** The newer of what the cache shows and what was last written. */
  Item<JobView> newest(Item<JobView> cached) {
    var own = written;
    if (own == null || !own.uid().equals(cached.uid())) {
      return cached;
    }
    return version(own) > version(cached) ? own : cached;
  }

  /** Versions are opaque to clients in name only: every server there is counts them. */
  private static long version(Item<?> item) {
    try {
      return Long.parseLong(item.resourceVersion());
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
