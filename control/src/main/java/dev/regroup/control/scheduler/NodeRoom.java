package dev.regroup.control.scheduler;

import dev.regroup.control.scheduler.NodeChoice.Ask;
import dev.regroup.control.scheduler.NodeChoice.Offer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What pods have taken of each node. A decision takes at once what it gives, so that many workers
 * side by side never give the same room twice. For any thread; each change costs the same however
 * many pods there are.
 */
final class NodeRoom {

  /** What one pod holds. */
  private record Held(String node, Amounts amounts, Set<String> claims) {}

  private record Taken(Amounts amounts, int pods) {
    static final Taken NOTHING = new Taken(Amounts.NONE, 0);

    Taken plus(Amounts more) {
      return new Taken(amounts.plus(more), pods + 1);
    }

    Taken minus(Amounts less) {
      return new Taken(amounts.minus(less), pods - 1);
    }
  }

  private final Map<String, Held> pods = new HashMap<>(); // by uid
  private final Map<String, Taken> nodes = new HashMap<>();

  /** Chooses a node and takes the room the pod needs there. */
  synchronized NodeChoice place(String uid, Ask ask, Collection<Offer> offers) {
    release(uid);
    var now =
        offers.stream()
            .map(offer -> {
              var taken = nodes.getOrDefault(offer.node(), Taken.NOTHING);
              return offer.with(taken.amounts(), taken.pods());
            })
            .toList();
    var placement = NodeChoice.choose(inUse(ask) ? ask.conflicting() : ask, now);
    if (placement instanceof NodeChoice.OnNode(String node)) {
      hold(uid, node, ask.amounts(), ask.claims());
    }
    return placement;
  }

  /** The pod is on this node, whoever put it there. */
  synchronized void hold(String uid, String node, Amounts amounts, Set<String> claims) {
    release(uid);
    pods.put(uid, new Held(node, amounts, claims));
    nodes.merge(node, Taken.NOTHING.plus(amounts), (taken, _) -> taken.plus(amounts));
  }

  /** The pod needs nothing any more; whether it had something. */
  synchronized boolean release(String uid) {
    var held = pods.remove(uid);
    if (held == null) {
      return false;
    }
    nodes.computeIfPresent(
        held.node(), (_, taken) -> taken.pods() == 1 ? null : taken.minus(held.amounts()));
    return true;
  }

  /** Whether somebody else has a claim that this pod must have for itself. */
  private boolean inUse(Ask ask) {
    return !ask.exclusiveClaims().isEmpty()
        && pods.values().stream()
            .anyMatch(held -> held.claims().stream().anyMatch(ask.exclusiveClaims()::contains));
  }
}
