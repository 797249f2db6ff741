package dev.regroup.node.worker;

import dev.regroup.node.pod.EffectFailure;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.plan.PodPlan;

/** What a {@link PodWorker} needs from the world: to look at its pod and to change it. */
interface PodPort {

  /**
   * Reads what earlier runs of the node left of the pod. Once, before everything else.
   *
   * @throws EffectFailure when that was not possible; it is tried again later
   */
  void open() throws EffectFailure;

  /** Everything there is to see now. Cheap, never waits for the API server. */
  Observed observe() throws InterruptedException;

  /** The spec that was the newest at the latest look. */
  PodSpec spec();

  /** Makes the plan's status known and remembers what the next look needs. Never waits. */
  void publish(PodPlan plan);

  /**
   * Performs one effect.
   *
   * @throws EffectFailure when it did not happen; the pod is looked at again later
   */
  void perform(Effect effect) throws EffectFailure, InterruptedException;

  /** Called when a plan asks for nothing: the place to let an ended pod go. */
  void settle(PodPlan plan) throws EffectFailure, InterruptedException;
}
