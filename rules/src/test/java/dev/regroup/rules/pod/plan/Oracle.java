package dev.regroup.rules.pod.plan;

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.StopReason;
import java.util.Optional;

/**
 * DEC-10 and the table of node.md 2.3 once more, written down as plainly as possible and without
 * any code of the product, for worlds with all gates on and exit-code conditions only.
 */
final class Oracle {
  /** What should follow an exit. */
  enum Next {
    AGAIN,
    ALL,
    DONE,
    FAIL_POD,
    END_POD
  }

  private Oracle() {}

  static Next next(RestartPolicy pod, SimRecord record) {
    var spec = record.spec;
    if (record.stopReason == StopReason.DEFINITION_CHANGED
        || record.stopReason == StopReason.REQUESTED) {
      return Next.AGAIN;
    }
    boolean obeyed =
        record.stopReason == StopReason.SANDBOX_LOST
            && spec.kind() == ContainerKind.REGULAR
            && record.exitCode == 0;
    int code = obeyed ? 137 : record.exitCode;
    var matched = firstMatch(spec, code);
    boolean probe =
        record.stopReason == StopReason.LIVENESS_FAILED
            || record.stopReason == StopReason.STARTUP_FAILED;
    var policy = spec.ownPolicy() == RestartPolicy.INHERIT ? pod : spec.ownPolicy();
    boolean policyRestarts =
        policy == RestartPolicy.ALWAYS
            || (policy == RestartPolicy.ON_FAILURE && (code != 0 || probe));
    if (spec.kind() == ContainerKind.EPHEMERAL) {
      return Next.DONE;
    }
    if (is(matched, ExitRule.Action.RESTART_ALL_CONTAINERS)) {
      return Next.ALL;
    }
    if (is(matched, ExitRule.Action.TERMINATE_POD)) {
      return Next.END_POD;
    }
    boolean zero = record.exitCode == 0;
    return switch (spec.kind()) {
      case INIT -> {
        if (zero || is(matched, ExitRule.Action.COMPLETE)) {
          yield Next.DONE;
        }
        if (is(matched, ExitRule.Action.TERMINATE)) {
          yield Next.FAIL_POD;
        }
        yield is(matched, ExitRule.Action.RESTART) || policyRestarts ? Next.AGAIN : Next.FAIL_POD;
      }
      case SIDECAR -> {
        if (is(matched, ExitRule.Action.TERMINATE)) {
          yield Next.END_POD;
        }
        yield is(matched, ExitRule.Action.COMPLETE) ? Next.DONE : Next.AGAIN;
      }
      case REGULAR, EPHEMERAL -> {
        if (is(matched, ExitRule.Action.TERMINATE) || is(matched, ExitRule.Action.COMPLETE)) {
          yield Next.DONE;
        }
        yield is(matched, ExitRule.Action.RESTART) || policyRestarts ? Next.AGAIN : Next.DONE;
      }
    };
  }

  private static boolean is(Optional<ExitRule.Action> matched, ExitRule.Action action) {
    return matched.filter(a -> a == action).isPresent();
  }

  private static Optional<ExitRule.Action> firstMatch(ContainerSpec spec, int code) {
    if (spec.ownPolicy() == RestartPolicy.INHERIT) {
      return Optional.empty();
    }
    for (var rule : spec.rules()) {
      if (rule.condition() instanceof ExitRule.Condition.ExitCodes(var operator, var values)
          && (operator == ExitRule.Operator.IN) == values.contains(code)) {
        return Optional.of(rule.action());
      }
    }
    return Optional.empty();
  }
}
