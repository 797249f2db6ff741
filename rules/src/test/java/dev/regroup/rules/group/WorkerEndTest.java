package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.ExitRule.Action;
import dev.regroup.rules.ExitRule.Condition;
import dev.regroup.rules.ExitRule.Operator;
import dev.regroup.rules.group.GroupOrders.Knowledge;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerEndTest {

  private static final WorkerEnd AGAIN = new WorkerEnd.Again();
  private static final WorkerEnd GROUP = new WorkerEnd.WithTheGroup();

  /** ACT-01, ACT-02, ACT-04, ACT-05, ACT-06, TPC-22. */
  @ParameterizedTest
  @CsvSource({
    "RESTART,                7, again",
    "RESTART,                0, again",
    "RESTART_ALL_CONTAINERS, 7, group",
    "RESTART_ALL_CONTAINERS, 0, group",
    "TERMINATE,              7, 7",
    "COMPLETE,               7, 0",
    "TERMINATE_POD,          7, 7",
    "TERMINATE_POD,          0, 0",
  })
  void each_action_has_its_end(Action action, int code, String end) {
    var rules = List.of(on(action, new Condition.AnyExit()));

    assertThat(WorkerEnd.of(rules, Exit.of(code), Knowledge.KNOWN)).isEqualTo(end(end));
  }

  /** DEC-10: the first match decides; none is the policy Never. */
  @Test
  void the_first_rule_that_matches_decides() {
    var rules =
        List.of(
            ExitRule.on(Action.COMPLETE, Operator.IN, List.of(42)),
            ExitRule.on(Action.RESTART, Operator.IN, List.of(42, 43)));

    assertThat(WorkerEnd.of(rules, Exit.of(42), Knowledge.KNOWN)).isEqualTo(end("0"));
    assertThat(WorkerEnd.of(rules, Exit.of(43), Knowledge.KNOWN)).isEqualTo(AGAIN);
    assertThat(WorkerEnd.of(rules, Exit.of(1), Knowledge.KNOWN)).isEqualTo(end("1"));
    assertThat(WorkerEnd.of(rules, Exit.of(0), Knowledge.KNOWN)).isEqualTo(end("0"));
  }

  /** COND-02. */
  @Test
  void restarts_of_this_attempt_can_be_counted() {
    var rules =
        List.of(
            on(Action.RESTART_ALL_CONTAINERS, new Condition.RestartTimes(2)),
            on(Action.RESTART, new Condition.AnyExit()));

    assertThat(
            IntStream.range(0, 4)
                .mapToObj(times -> new Exit(1, Exit.Cause.ORDINARY, times))
                .map(exit -> WorkerEnd.of(rules, exit, Knowledge.KNOWN)))
        .containsExactly(AGAIN, AGAIN, GROUP, GROUP);
  }

  /** JS-127 step 1: without a barrier there is no group to restart with. */
  @Test
  void without_a_barrier_the_container_ends_instead_of_the_attempt() {
    var rules = WorkerEnd.withoutRules(Set.of());

    assertThat(WorkerEnd.of(rules, Exit.of(7), Knowledge.BYPASS)).isEqualTo(end("7"));
    assertThat(WorkerEnd.of(rules, Exit.of(7), Knowledge.UNKNOWN)).isEqualTo(GROUP);
  }

  /** JS-132a, JS-132e. */
  @Test
  void without_rules_all_but_0_and_fatal_codes_restart_the_group() {
    var rules = WorkerEnd.withoutRules(Set.of(3));

    assertThat(WorkerEnd.of(rules, Exit.of(0), Knowledge.KNOWN)).isEqualTo(end("0"));
    assertThat(WorkerEnd.of(rules, Exit.of(3), Knowledge.KNOWN)).isEqualTo(end("3"));
    assertThat(WorkerEnd.of(rules, Exit.of(4), Knowledge.KNOWN)).isEqualTo(GROUP);
  }

  /** Whoever watches the container must leave alone every end that the rules can ask for. */
  @Test
  void what_may_end_the_container_is_known_before() {
    var later =
        List.of(
            on(Action.TERMINATE, new Condition.RestartTimes(5)),
            on(Action.RESTART, new Condition.AnyExit()));
    var never = List.of(on(Action.RESTART, new Condition.AnyExit()));
    var one = WorkerEnd.withoutRules(Set.of(3));

    assertThat(WorkerEnd.mayEndWith(1, later)).isTrue();
    assertThat(WorkerEnd.mayEndWith(1, never)).isFalse();
    assertThat(WorkerEnd.mayEndWith(3, one)).isTrue();
    assertThat(WorkerEnd.mayEndWith(4, one)).isFalse();
  }

  private static ExitRule on(Action action, Condition condition) {
    return new ExitRule(action, condition, List.of(), Duration.ZERO);
  }

  private static WorkerEnd end(String name) {
    return switch (name) {
      case "again" -> AGAIN;
      case "group" -> GROUP;
      default -> new WorkerEnd.Over(Integer.parseInt(name));
    };
  }
}
