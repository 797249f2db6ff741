package dev.regroup.rules.pod.plan;

import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import java.util.Set;

/**
 * What the end of one run means, with the kind of its container taken into account: the table of
 * node.md 2.3. {@link ExitDecision} knows nothing of kinds; this does.
 */
sealed interface Verdict {

  /** Start the container again. */
  record Again(Delay delay) implements Verdict {}

  /** The container stays ended and counts by this result. */
  record Done(Result result) implements Verdict {}

  /** An init container failed for good: the pod fails. */
  record FailPod() implements Verdict {}

  /** The container is a source: restart all containers. */
  record RestartAll(ExitRule rule, int index) implements Verdict {}

  /** The pod ends because this container did (node.md section 5, ACT-04). */
  record EndPod(Ground ground, Result result) implements Verdict {}

  enum Delay {
    BACK_OFF,
    /** The node itself asked for the stop (DEC-50). */
    NONE
  }

  enum Result {
    SUCCEEDED,
    FAILED;

    static Result of(int exitCode) {
      return exitCode == 0 ? SUCCEEDED : FAILED;
    }
  }

  enum Ground {
    ON_COMPLETION,
    TERMINATE_POD_RULE,
    /** A sidecar ended by a {@code Terminate} rule. */
    TERMINATED_BY_RULE
  }

  /** The exit code of a kill, for an end that shows 0 and was none of the container's own. */
  int KILLED_CODE = 137;

  /**
   * Judges an exited record.
   *
   * @param firstOfEpoch number of the container's first run in its restart epoch
   */
  static Verdict of(
      Set<RuleGate> gates,
      RestartPolicy podPolicy,
      ContainerSpec spec,
      SeenContainer record,
      int firstOfEpoch) {
    if (spec.kind() == ContainerKind.EPHEMERAL) {
      return new Done(Result.of(record.exitCode())); // DEC-45
    }
    if (record.stopReason().startsAgain()) {
      return new Again(Delay.NONE); // never matched against rules (DEC-50)
    }
    var policy = policyOf(gates, podPolicy, spec);
    var exit = exitOf(spec, record, firstOfEpoch);
    var decision = decision(gates, podPolicy, spec, exit);
    return switch (spec.kind()) {
      case INIT -> ofInit(decision, exit, probeRestart(record, policy));
      case SIDECAR -> ofSidecar(decision, exit);
      case REGULAR, EPHEMERAL ->
          ofRegular(gates, spec, record, decision, probeRestart(record, policy));
    };
  }

  /** The policy that decides without a rule (DEC-10 steps 2 and 3, DEC-12). */
  static RestartPolicy policyOf(Set<RuleGate> gates, RestartPolicy podPolicy, ContainerSpec spec) {
    if (spec.kind() == ContainerKind.SIDECAR) {
      return RestartPolicy.ALWAYS;
    }
    return gates.contains(RuleGate.CONTAINER_RESTART_RULES)
        ? spec.ownPolicy().or(podPolicy)
        : podPolicy;
  }

  /** What an exit means before the kind of its container is looked at. */
  static ExitDecision decision(
      Set<RuleGate> gates, RestartPolicy podPolicy, ContainerSpec spec, Exit exit) {
    return ExitDecision.of(gates, podPolicy, spec.ownPolicy(), spec.rules(), exit);
  }

  static Exit exitOf(ContainerSpec spec, SeenContainer record, int firstOfEpoch) {
    boolean oom = record.reason().equals(SeenContainer.OOM_KILLED);
    return new Exit(
        record.exitCode() == 0 && isHidden(spec.kind(), record, oom)
            ? KILLED_CODE
            : record.exitCode(),
        oom ? Exit.Cause.OUT_OF_MEMORY : Exit.Cause.ORDINARY,
        record.run() - firstOfEpoch);
  }

  /**
   * Whether an exit with 0 hides a kill: by the kernel (DEC-46), or for a sandbox that was lost,
   * where whoever ends with 0 has only obeyed and not done what it was started for (SEQ-25).
   */
  private static boolean isHidden(ContainerKind kind, SeenContainer record, boolean oom) {
    return switch (kind) {
      case INIT -> oom;
      case REGULAR -> record.stopReason() == StopReason.SANDBOX_LOST;
      case SIDECAR, EPHEMERAL -> false;
    };
  }

  /** DEC-48: a probe's kill is followed by a start unless the policy is Never. */
  private static boolean probeRestart(SeenContainer record, RestartPolicy policy) {
    boolean probe =
        record.stopReason() == StopReason.LIVENESS_FAILED
            || record.stopReason() == StopReason.STARTUP_FAILED;
    return probe && policy != RestartPolicy.NEVER;
  }

  private static Verdict ofInit(ExitDecision decision, Exit exit, boolean probeRestart) {
    return switch (decision) {
      case ExitDecision.RestartAll(ExitRule rule, int index) -> new RestartAll(rule, index);
      case ExitDecision.TerminatePod _ ->
          new EndPod(Ground.TERMINATE_POD_RULE, Result.of(exit.code()));
      case ExitDecision.Complete _ -> new Done(Result.SUCCEEDED);
      // Exit 0 is done whatever a Restart rule or the policy says (DEC-30).
      case ExitDecision.Restart _ ->
          exit.code() == 0 ? new Done(Result.SUCCEEDED) : new Again(Delay.BACK_OFF);
      case ExitDecision.Stay _ -> {
        if (exit.code() == 0) {
          yield new Done(Result.SUCCEEDED);
        }
        yield probeRestart ? new Again(Delay.BACK_OFF) : new FailPod();
      }
    };
  }

  private static Verdict ofSidecar(ExitDecision decision, Exit exit) {
    return switch (decision) {
      case ExitDecision.RestartAll(ExitRule rule, int index) -> new RestartAll(rule, index);
      case ExitDecision.TerminatePod _ ->
          new EndPod(Ground.TERMINATE_POD_RULE, Result.of(exit.code()));
      case ExitDecision.Complete _ -> new Done(Result.SUCCEEDED);
      case ExitDecision.Stay(ExitDecision.By by) ->
          by == ExitDecision.By.RULE
              ? new EndPod(Ground.TERMINATED_BY_RULE, Result.FAILED)
              : new Again(Delay.BACK_OFF); // a pod policy never ends a sidecar (DEC-12)
      case ExitDecision.Restart _ -> new Again(Delay.BACK_OFF);
    };
  }

  private static Verdict ofRegular(
      Set<RuleGate> gates,
      ContainerSpec spec,
      SeenContainer record,
      ExitDecision decision,
      boolean probeRestart) {
    var result = Result.of(record.exitCode());
    return switch (decision) {
      case ExitDecision.RestartAll(ExitRule rule, int index) -> new RestartAll(rule, index);
      case ExitDecision.TerminatePod _ -> new EndPod(Ground.TERMINATE_POD_RULE, result);
      case ExitDecision.Complete _ -> done(gates, spec, Result.SUCCEEDED);
      case ExitDecision.Restart _ -> new Again(Delay.BACK_OFF);
      case ExitDecision.Stay(ExitDecision.By by) -> {
        boolean again = probeRestart && by == ExitDecision.By.POLICY;
        yield again ? new Again(Delay.BACK_OFF) : done(gates, spec, result);
      }
    };
  }

  /** TPC-01: a container that ended for good may end its pod. */
  private static Verdict done(Set<RuleGate> gates, ContainerSpec spec, Result result) {
    boolean endsPod =
        spec.onCompletion() == ContainerSpec.OnCompletion.TERMINATE_POD
            && gates.contains(RuleGate.TERMINATE_POD_ON_COMPLETION);
    return endsPod ? new EndPod(Ground.ON_COMPLETION, result) : new Done(result);
  }
}
