package dev.regroup.rules.jobset;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.group.InPlaceRestart;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Follows, pod by pod, whether the cost of the newest restart can be told: every pod that is part
 * of the group has told its share, and one of the programs has spoken. A pod event costs the same
 * in every group. Belongs to one thread; holds nothing that a fresh list of pods would not give
 * back.
 */
public final class CostNews {

  private Optional<InPlaceRestart> restart = Optional.empty();
  private final Set<String> owing = new HashSet<>(); // by UID
  private final Set<String> spoken = new HashSet<>(); // by UID

  /**
   * Says which restart it is about, if any ({@link GroupCosts#open}). True if it is another one:
   * then all pods have to be told again.
   */
  public boolean follow(Optional<InPlaceRestart> open) {
    if (open.map(InPlaceRestart::attempt).equals(restart.map(InPlaceRestart::attempt))) {
      return false;
    }
    restart = open;
    owing.clear();
    spoken.clear();
    return open.isPresent();
  }

  /** Whether what pods tell matters now. */
  public boolean listens() {
    return restart.isPresent();
  }

  /** A pod is there or has changed. */
  public void put(String uid, GroupCosts.Teller pod) {
    forget(uid);
    restart.ifPresent(one -> {
      var share = GroupCosts.share(pod, one, Instant.MAX);
      if (share.isEmpty() && pod.owes()) {
        owing.add(uid);
      }
      if (share.isPresent() && share.get().moments().containsKey(Moment.FIRST_OUTPUT)) {
        spoken.add(uid);
      }
    });
  }

  /** A pod of the group has not been told to go on, or has not done so. */
  public void owes(String uid) {
    forget(uid);
    owing.add(uid);
  }

  /** A pod is gone, or no longer counts. */
  public void forget(String uid) {
    owing.remove(uid);
    spoken.remove(uid);
  }

  public boolean due() {
    return restart.isPresent() && owing.isEmpty() && !spoken.isEmpty();
  }
}
