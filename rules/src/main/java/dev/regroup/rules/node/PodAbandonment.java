package dev.regroup.rules.node;

import java.time.Duration;
import java.util.Optional;

/**
 * What becomes of a pod that no node looks after (JB-75, JB-113, JB-114, JS-136). The first row
 * that holds counts:
 *
 * <pre>
 *  pod                          node                          step
 *  ending, never assigned       -                             fails
 *  ended, never assigned        -                             stays
 *  any                          gone for the quarantine       fails and is removed
 *  any                          gone only now                 waits
 *  ending                       out of service, not ready     fails and is removed
 *  ended                        -                             stays
 *  alive or ending              unreachable for long enough   fails
 *  alive or ending              unreachable                   is not ready; waits, if it may fail
 *  alive or ending              not ready                     is not ready
 *  any                          there                         stays
 * </pre>
 */
public sealed interface PodAbandonment {

  /** Reason of a pod that failed because its node was lost. */
  String NODE_LOST = "NodeLost";

  /** How long containers of such a pod get to end when their node comes back: 2 s. */
  Duration NODE_LOST_GRACE = Duration.ofSeconds(2);

  /** Nothing to do until something changes. */
  record Stays() implements PodAbandonment {}

  /** Look again when the node has been like this for this long. */
  record Waits(Duration until) implements PodAbandonment {}

  /** Its condition {@code Ready} becomes False; look again as {@link Waits} says, if it does. */
  record NotReady(Optional<Duration> until) implements PodAbandonment {}

  /** Its phase becomes Failed. */
  record Fails(Why why) implements PodAbandonment {}

  /** Its phase becomes Failed unless it has ended, and it is deleted without grace. */
  record FailsAndGoes(Why why) implements PodAbandonment {}

  /** What ends it. */
  enum Why {
    NEVER_ASSIGNED,
    NODE_GONE,
    OUT_OF_SERVICE,
    NODE_UNREACHABLE
  }

  /** Where the pod is in its life. */
  enum Life {
    ALIVE,
    ENDING,
    /** Its phase is final; it may be deleted or not. */
    ENDED,
    ENDED_AND_DELETED
  }

  /** How the node that has to look after the pod is. */
  enum Keeper {
    /** The pod is assigned to none. */
    NONE,
    GONE,
    READY,
    NOT_READY,
    UNREACHABLE,
    OUT_OF_SERVICE
  }

  /**
   * What is set once.
   *
   * @param quarantine how long a node must be gone
   * @param failAfter how long a node must be unreachable before its pods fail; empty for never
   */
  record Patience(Duration quarantine, Optional<Duration> failAfter) {
    /** As Kubernetes: 40 s, never. */
    public static final Patience DEFAULT = new Patience(Duration.ofSeconds(40), Optional.empty());
  }

  /**
   * Decides.
   *
   * @param lasts for how long the node has been like this
   */
  static PodAbandonment of(Life life, Keeper node, Duration lasts, Patience patience) {
    return switch (node) {
      case NONE -> life == Life.ENDING ? new Fails(Why.NEVER_ASSIGNED) : new Stays();
      case GONE ->
          lasts.compareTo(patience.quarantine()) < 0
              ? new Waits(patience.quarantine())
              : new FailsAndGoes(Why.NODE_GONE);
      case OUT_OF_SERVICE ->
          switch (life) {
            case ENDING, ENDED_AND_DELETED -> new FailsAndGoes(Why.OUT_OF_SERVICE);
            case ALIVE -> new NotReady(Optional.empty());
            case ENDED -> new Stays();
          };
      case UNREACHABLE -> hasEnded(life) ? new Stays() : unreachable(lasts, patience);
      case NOT_READY -> hasEnded(life) ? new Stays() : new NotReady(Optional.empty());
      case READY -> new Stays();
    };
  }

  private static PodAbandonment unreachable(Duration lasts, Patience patience) {
    var failAfter = patience.failAfter();
    return failAfter.isPresent() && lasts.compareTo(failAfter.get()) >= 0
        ? new Fails(Why.NODE_UNREACHABLE)
        : new NotReady(failAfter);
  }

  private static boolean hasEnded(Life life) {
    return life == Life.ENDED || life == Life.ENDED_AND_DELETED;
  }
}
