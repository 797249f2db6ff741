package dev.regroup.node.worker;

import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.plan.PodPlan;
import java.time.Instant;

/**
 * All that the plan of a pod depends on at one moment. What a worker writes down when it meets a
 * bug, so that a test meets it again.
 */
record PodLook(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {

  PodPlan plan() {
    return PodPlan.plan(spec, seen, settings, now);
  }
}
