package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.PodSpec.BarrierRole;

/**
 * The time between two orders of the group, for the back-off of its pods (RAC-54). A pod that fails
 * after the barrier lifted moves on to the next attempt, and whatever it does then comes before the
 * next lift. So of the restarts in one spell the first is at once, be it that of a running worker
 * or of a pod that cannot start; the others are an ordinary crash loop. A lift and a group order
 * begin a new spell: they forget the delay. Loops of running workers are bounded by the budget
 * (JS-89a).
 */
final class GroupSpell {
  private GroupSpell() {}

  /** Empty for a pod that belongs to no group. */
  static String of(View view) {
    return view.spec.barrier() == BarrierRole.NONE ? "" : view.seen.group().spell();
  }
}
