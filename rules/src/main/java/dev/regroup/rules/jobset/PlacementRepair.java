package dev.regroup.rules.jobset;

import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.regroup.rules.jobset.ExclusivePlace.Role;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/**
 * Whether the pods of one Job under exclusive placement are where their leader is (JS-91b). When a
 * single follower is not, all followers go and are made anew: then they follow the leader to its
 * domain. The leader itself never goes.
 *
 * <p>A pod that has ended or is going is nowhere: it neither leads nor is misplaced. Otherwise a
 * pod that was told to go would have its successors told so, too.
 */
public sealed interface PlacementRepair {

  /** Nobody is misplaced, or nobody leads. */
  record Stands() implements PlacementRepair {}

  /** Where the leader is cannot be said: its node is unknown, or has no domain. */
  record Unknown(String node) implements PlacementRepair {}

  /** The followers, by UID, leave their places for that of the leader. */
  record Moves(Member leader, String domain, Set<String> followers) implements PlacementRepair {
    public Moves {
      followers = Set.copyOf(followers);
    }
  }

  /** Whether a pod counts. */
  enum Presence {
    STAYS,
    /** It has ended or is being deleted. */
    LEAVES
  }

  /**
   * A pod of the Job.
   *
   * @param node where it is; empty while it is nowhere
   */
  record Member(String uid, ExclusivePlace place, String node, Presence presence) {}

  /** The domain of a node; empty when the node or its label is not there. */
  @FunctionalInterface
  interface Domains {
    Optional<String> of(String node, String topology);
  }

  static PlacementRepair of(Collection<Member> job, Domains domains) {
    var present = job.stream().filter(pod -> pod.presence() == Presence.STAYS).toList();
    var followers = present.stream().filter(pod -> pod.place().role() == Role.FOLLOWER).toList();
    PlacementRepair result = new Stands();
    if (followers.isEmpty()) {
      return result;
    }
    for (var leader : present) {
      if (leader.place().role() != Role.LEADER || leader.node().isEmpty()) {
        continue;
      }
      var domain = domains.of(leader.node(), leader.place().topology());
      if (domain.isEmpty()) {
        result = new Unknown(leader.node());
      } else if (!followers.stream().allMatch(pod -> pod.place().domain().equals(domain.get()))) {
        return new Moves(
            leader, domain.get(), followers.stream().map(Member::uid).collect(toUnmodifiableSet()));
      }
    }
    return result;
  }
}
