package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.RestartCycle.SingleRestart;
import java.util.Optional;

/**
 * Restart requests that no cycle serves (RAC-08): for one container, and those that come too late
 * or name nothing. Each id is answered once; that it was is part of the durable record.
 */
final class RequestedRestarts {
  private final View view;

  RequestedRestarts(View view) {
    this.view = view;
  }

  /** The request nobody answered yet. */
  private Optional<PodRestartRequest.Asked> open() {
    return view.seen.request() instanceof PodRestartRequest.Asked asked
            && !asked.id().equals(view.cycle.requestId())
        ? Optional.of(asked)
        : Optional.empty();
  }

  /** A pod that ends refuses every request. */
  void refuse(Draft draft) {
    open().ifPresent(r -> ignore(draft, r, "the pod is ending"));
  }

  /** Takes note of a request for one container; Upkeep and the verdict carry it out. */
  Optional<RestartCycle> accept(Draft draft) {
    var request = open().filter(r -> !r.container().isEmpty());
    if (request.isEmpty()) {
      return Optional.empty();
    }
    var asked = request.get();
    var spec =
        view.container(asked.container())
            .filter(c -> c.kind() == ContainerKind.REGULAR || c.kind() == ContainerKind.SIDECAR);
    if (spec.isEmpty()) {
      return Optional.of(
          ignore(
              draft,
              asked,
              "no regular container or sidecar is named \"" + asked.container() + "\""));
    }
    var single =
        view.newest(spec.get())
            .map(r -> new SingleRestart(r.container(), r.run()))
            .orElse(SingleRestart.NONE);
    var cycle = view.cycle.withRequest(asked.id(), single);
    draft.add(new Effect.Remember(cycle));
    return Optional.of(cycle);
  }

  private RestartCycle ignore(Draft draft, PodRestartRequest.Asked asked, String why) {
    var cycle = view.cycle.withRequest(asked.id(), SingleRestart.NONE);
    draft.add(new Effect.Remember(cycle));
    draft.emit(Events.requestIgnored(asked.id(), why));
    return cycle;
  }
}
