package dev.regroup.rules;

import static dev.regroup.rules.ExitRule.Action.COMPLETE;
import static dev.regroup.rules.ExitRule.Action.RESTART;
import static dev.regroup.rules.ExitRule.Action.RESTART_ALL_CONTAINERS;
import static dev.regroup.rules.ExitRule.Action.TERMINATE;
import static dev.regroup.rules.ExitRule.Action.TERMINATE_POD;
import static dev.regroup.rules.ExitRule.Operator.IN;
import static dev.regroup.rules.ExitRule.Operator.NOT_IN;
import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.INHERIT;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.RestartPolicy.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.rules.ExitDecision.By;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitDecisionTest {
  private static final Set<RuleGate> ALL = Set.of(RuleGate.values());
  private static final ExitDecision RESTARTS = new ExitDecision.Restart(By.POLICY);
  private static final ExitDecision BY_RULE = new ExitDecision.Restart(By.RULE);
  private static final ExitDecision STAYS = new ExitDecision.Stay(By.POLICY);

  private static ExitDecision decide(
      RestartPolicy pod, RestartPolicy own, int code, ExitRule... rules) {
    return ExitDecision.of(ALL, pod, own, List.of(rules), Exit.of(code));
  }

  private static Set<RuleGate> without(RuleGate gate) {
    var gates = EnumSet.allOf(RuleGate.class);
    gates.remove(gate);
    return gates;
  }

  @ParameterizedTest
  @DisplayName("DEC-10 DEC-20 DEC-21 DEC-22 DEC-23 DEC-24 DEC-25: policies without rules")
  @CsvSource({
    "ALWAYS,INHERIT,0,true", "ALWAYS,INHERIT,1,true",
    "ON_FAILURE,INHERIT,0,false", "ON_FAILURE,INHERIT,1,true",
    "NEVER,INHERIT,0,false", "NEVER,INHERIT,1,false",
    "NEVER,ALWAYS,0,true", "NEVER,ALWAYS,1,true",
    "NEVER,ON_FAILURE,0,false", "NEVER,ON_FAILURE,1,true",
    "ALWAYS,NEVER,0,false", "ALWAYS,NEVER,1,false",
    "ALWAYS,ON_FAILURE,0,false"
  })
  void the_containers_policy_beats_the_pods(
      RestartPolicy pod, RestartPolicy own, int code, boolean restarts) {
    assertThat(decide(pod, own, code)).isEqualTo(restarts ? RESTARTS : STAYS);
  }

  @Test
  @DisplayName("DEC-10 ACT-01 ACT-02 COND-01 JS-122: the first match wins and ends the walk")
  void first_match_wins() {
    var restart = ExitRule.on(RESTART, IN, List.of(42));
    var all = ExitRule.on(RESTART_ALL_CONTAINERS, IN, List.of(42));

    assertThat(decide(NEVER, NEVER, 42, restart, all)).isEqualTo(BY_RULE);
    assertThat(decide(NEVER, NEVER, 42, all, restart))
        .isEqualTo(new ExitDecision.RestartAll(all, 0));
    assertThat(decide(NEVER, NEVER, 7, restart, all)).isEqualTo(STAYS);
    assertThat(decide(NEVER, NEVER, 1, ExitRule.on(RESTART, IN, List.of(2)), all)).isEqualTo(STAYS);
  }

  @Test
  @DisplayName("DEC-26 DEC-27: a rule also decides for exit 0")
  void rules_decide_for_zero() {
    assertThat(decide(NEVER, NEVER, 0, ExitRule.on(RESTART, IN, List.of(0)))).isEqualTo(BY_RULE);
    var all = ExitRule.on(RESTART_ALL_CONTAINERS, NOT_IN, List.of());
    assertThat(decide(NEVER, NEVER, 0, all)).isEqualTo(new ExitDecision.RestartAll(all, 0));
  }

  @Test
  @DisplayName("DEC-51 DEC-52 DEC-57: the extended actions")
  void extended_actions() {
    assertThat(decide(ALWAYS, ALWAYS, 3, ExitRule.on(TERMINATE, IN, List.of(3))))
        .isEqualTo(new ExitDecision.Stay(By.RULE));
    assertThat(decide(ALWAYS, ALWAYS, 3, ExitRule.on(COMPLETE, IN, List.of(3))))
        .isEqualTo(new ExitDecision.Complete(0));
    assertThat(decide(ALWAYS, ALWAYS, 3, ExitRule.on(TERMINATE_POD, IN, List.of(3))))
        .isEqualTo(new ExitDecision.TerminatePod(0));
  }

  @ParameterizedTest
  @DisplayName("GATE-13 DEC-10: an action that is not usable ends the walk at the policy")
  @CsvSource({
    "RESTART_ALL_CONTAINERS,RESTART_ALL_CONTAINERS",
    "EXTENDED_RULES,TERMINATE",
    "EXTENDED_RULES,COMPLETE",
    "EXTENDED_RULES,TERMINATE_POD"
  })
  void unusable_actions_are_inert(RuleGate off, ExitRule.Action action) {
    var rules =
        List.of(ExitRule.on(action, IN, List.of(42)), ExitRule.on(RESTART, IN, List.of(42)));

    var decision = ExitDecision.of(without(off), NEVER, NEVER, rules, Exit.of(42));

    assertThat(decision).isEqualTo(STAYS);
  }

  @Test
  @DisplayName("DEC-11: rules on a container without its own policy are ignored")
  void rules_need_an_own_policy() {
    assertThat(decide(NEVER, INHERIT, 42, ExitRule.on(RESTART, IN, List.of(42)))).isEqualTo(STAYS);
    var all = ExitRule.on(RESTART_ALL_CONTAINERS, IN, List.of(42));
    assertThat(decide(ON_FAILURE, INHERIT, 42, all)).isEqualTo(RESTARTS);
  }

  @Test
  @DisplayName("DEC-12: with the rules gate off only the pod's policy counts")
  void gate_off() {
    var gates = without(RuleGate.CONTAINER_RESTART_RULES);
    var rules = List.of(ExitRule.on(RESTART, IN, List.of(42)));

    assertThat(ExitDecision.of(gates, NEVER, ALWAYS, rules, Exit.of(42))).isEqualTo(STAYS);
    assertThat(ExitDecision.of(gates, ALWAYS, NEVER, rules, Exit.of(42))).isEqualTo(RESTARTS);
  }

  @Test
  @DisplayName("DEC-13: an unknown operator does not match and the walk goes on")
  void unknown_operator() {
    var odd = ExitRule.on(RESTART_ALL_CONTAINERS, ExitRule.Operator.UNKNOWN, List.of(42));

    assertThat(decide(NEVER, NEVER, 42, odd)).isEqualTo(STAYS);
    assertThat(decide(NEVER, NEVER, 42, odd, ExitRule.on(RESTART, IN, List.of(42))))
        .isEqualTo(BY_RULE);
  }

  @Test
  @DisplayName("API-20: In [] never matches, NotIn [] always does")
  void empty_values() {
    assertThat(decide(NEVER, NEVER, 7, ExitRule.on(RESTART, IN, List.of()))).isEqualTo(STAYS);
    assertThat(decide(NEVER, NEVER, 0, ExitRule.on(RESTART, NOT_IN, List.of()))).isEqualTo(BY_RULE);
  }

  @Test
  @DisplayName("API-21: values out of range are allowed and never equal a real code")
  void strange_values() {
    var strange = ExitRule.on(RESTART, IN, List.of(-1, 256, 70_000));

    assertThat(decide(NEVER, NEVER, 255, strange)).isEqualTo(STAYS);
  }

  @Test
  @DisplayName("VAL-08: at most 255 values, repeated ones counted")
  void too_many_values() {
    assertThat(ExitRule.on(RESTART, IN, Collections.nCopies(255, 1)).action()).isEqualTo(RESTART);
    assertThatThrownBy(() -> ExitRule.on(RESTART, IN, Collections.nCopies(256, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 255 items, got 256");
  }

  @Test
  @DisplayName("DEC-04: signals arrive as 128 + n, an OOM kill looks like any other SIGKILL")
  void only_the_code_feeds_exit_codes() {
    var rule = ExitRule.on(RESTART, IN, List.of(137));

    assertThat(rule.matches(Exit.of(137))).isTrue();
    assertThat(rule.matches(new Exit(137, Exit.Cause.OUT_OF_MEMORY, 0))).isTrue();
  }

  @Test
  @DisplayName("COND-02 COND-03 COND-04: the extended conditions")
  void extended_conditions() {
    var often = rule(new ExitRule.Condition.RestartTimes(3));
    assertThat(often.matches(new Exit(1, Exit.Cause.ORDINARY, 2))).isFalse();
    assertThat(often.matches(new Exit(1, Exit.Cause.ORDINARY, 3))).isTrue();
    var oom = rule(new ExitRule.Condition.OomKill());
    assertThat(oom.matches(Exit.of(137))).isFalse();
    assertThat(oom.matches(new Exit(137, Exit.Cause.OUT_OF_MEMORY, 0))).isTrue();
    assertThat(rule(new ExitRule.Condition.AnyExit()).matches(Exit.of(0))).isTrue();
  }

  @Test
  @DisplayName("ACT-10: extended conditions do not match while their gate is off")
  void extended_conditions_need_their_gate() {
    var gates = without(RuleGate.EXTENDED_RULES);
    for (var condition :
        List.of(
            new ExitRule.Condition.AnyExit(),
            new ExitRule.Condition.OomKill(),
            new ExitRule.Condition.RestartTimes(0))) {
      var rules = List.of(rule(condition), ExitRule.on(RESTART, IN, List.of(1)));
      var exit = new Exit(1, Exit.Cause.OUT_OF_MEMORY, 5);
      assertThat(ExitDecision.of(gates, NEVER, NEVER, rules, exit)).isEqualTo(BY_RULE);
    }
  }

  private static ExitRule rule(ExitRule.Condition condition) {
    return new ExitRule(RESTART_ALL_CONTAINERS, condition, List.of(), Duration.ZERO);
  }
}
