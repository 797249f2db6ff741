package dev.regroup.sim.node;

import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.plan.Script;

/** What the programs in containers do. */
public interface Programs {
  Script.Run next(SimPod pod, ContainerSpec container);
}
