package dev.regroup.sim.node;

import dev.regroup.rules.pod.plan.SimRecord;

/** Told what really happens to containers, when it happens. */
public interface PodWitness {

  void started(SimPod pod, SimRecord record);

  /** Ended by itself, stopped, killed or lost. */
  void ended(SimPod pod, SimRecord record);

  /** Something else than a container's end makes the pod start again. */
  void shaken(SimPod pod, String why);
}
