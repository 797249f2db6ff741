package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Plan for one pod (node.md sections 2 to 7). Level-triggered: a pure function of what is seen now,
 * so it may be asked after any missed event or crash, and a plan performed twice does no harm.
 *
 * <p>The node publishes the status first and without waiting (unless the pod {@link #arrives}),
 * keeps {@code backOff} in memory, then performs the effects in order and looks again at once if
 * there were any; otherwise it waits for a poke or for {@code wakeUp}.
 *
 * @param wakeUp when to look again if nothing happens; {@link Instant#MAX} when only an event can
 *     change anything
 * @param step where the pod stood in its life and where this plan takes it (RAC-24); equal stages
 *     when nothing moves
 */
public record PodPlan(
    List<Effect> effects,
    PodStatus status,
    Instant wakeUp,
    BackOffMemory backOff,
    Standing standing,
    PodLifecycle.Step step) {

  /** How the pod stands. */
  public enum Standing {
    /** The node still has work or containers. */
    ALIVE,
    /** Terminal, nothing runs, no sandbox: volumes may be unmounted; records and logs stay. */
    ENDED,
    /** As {@link #ENDED}, and deleted through the API: after the final status it may vanish. */
    REMOVABLE
  }

  public PodPlan {
    effects = List.copyOf(effects);
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(wakeUp, "wakeUp");
    Objects.requireNonNull(backOff, "backOff");
    Objects.requireNonNull(standing, "standing");
    Objects.requireNonNull(step, "step");
  }

  /**
   * Whether the pod comes to the barrier of its group with this plan. The look that follows tells
   * it, together with the attempt (JS-165): until then there is nothing worth a write.
   */
  public boolean arrives() {
    return effects.stream()
        .anyMatch(effect ->
            effect instanceof Effect.Remember(var cycle)
                && cycle.attempt().isPresent()
                && !cycle.attempt().equals(status.attempt()));
  }

  /** What to do now. */
  public static PodPlan plan(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
    return Planner.plan(spec, seen, settings, now);
  }
}
