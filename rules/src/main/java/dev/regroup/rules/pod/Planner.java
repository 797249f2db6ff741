package dev.regroup.rules.pod;

import dev.regroup.rules.pod.Lifecycle.Stage;
import dev.regroup.rules.pod.Lifecycle.Step;
import java.time.Instant;
import java.util.List;

/** Puts the parts of a plan together in the order of SEQ-20. */
final class Planner {
  private Planner() {}

  static PodPlan plan(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
    return new PodPlan(
        List.of(),
        seen.previous(),
        Instant.MAX,
        seen.backOff(),
        PodPlan.Standing.ALIVE,
        new Step(Stage.IDLE, Stage.IDLE));
  }
}
