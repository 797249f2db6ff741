package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed.Sandbox;
import dev.regroup.rules.pod.PodSpec.BarrierRole;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import java.time.Duration;
import java.util.List;

/** Makes the sandbox, and makes it again when it was lost (SEQ-25, RAC-18, RAC-72). */
final class SandboxNeeds {
  private final View view;
  private final Draft draft;

  SandboxNeeds(View view, Draft draft) {
    this.view = view;
    this.draft = draft;
  }

  boolean ready() {
    return view.seen.sandbox().isReady();
  }

  /**
   * Everything left of the old sandbox is stopped; init records are removed, so that the pod starts
   * from its first init entry; then a new sandbox is made.
   */
  void make() {
    if (!view.nothingUp()) {
      new DueStops(view, draft)
          .inOrder(view.spec.containers(), StopReason.SANDBOX_LOST, view.now, Duration.ZERO);
      return;
    }
    var entries = view.initEntries;
    List<ContainerId> old =
        entries.stream().flatMap(c -> view.records(c).stream()).map(SeenContainer::id).toList();
    boolean attemptTaken =
        view.spec.barrier() == BarrierRole.NODE_AGENT && view.cycle.attempt().isPresent();
    if (!old.isEmpty() || attemptTaken) {
      var carried = Counts.carry(view, entries);
      draft.add(new Effect.Remember(view.cycle.inNewSandbox(NodeBarrier.floor(view), carried)));
    }
    if (!old.isEmpty()) {
      draft.add(new Effect.Remove(old));
    }
    if (view.seen.sandbox().state() == Sandbox.State.LOST) {
      draft.emit(Events.sandboxChanged());
      draft.add(new Effect.StopSandbox(view.seen.sandbox().id()));
    }
    draft.add(new Effect.CreateSandbox());
  }
}
