package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.ExitRule.Action;
import dev.regroup.rules.ExitRule.Condition;
import dev.regroup.rules.ExitRule.Operator;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.Rule;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.ContainerTerms.Kind;
import dev.regroup.rules.group.GroupPod.Meaning;
import dev.regroup.rules.group.GroupPod.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a container is to its group, and what its exits mean there. */
class ContainerTermsTest {

  private static final Set<RuleGate> ALL = EnumSet.allOf(RuleGate.class);
  private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

  private static ExitRule on(Action action, Operator operator, Integer... codes) {
    return ExitRule.on(action, operator, List.of(codes));
  }

  private static ExitRule when(Action action, Condition condition) {
    return new ExitRule(action, condition, List.of(), Duration.ZERO);
  }

  private static ContainerTerms terms(Kind kind, RestartPolicy own, ExitRule... rules) {
    return new ContainerTerms(kind, ALL, RestartPolicy.NEVER, own, List.of(rules));
  }

  private static ContainerTerms worker(ExitRule... rules) {
    return terms(Kind.REGULAR, RestartPolicy.NEVER, rules);
  }

  private static Role role(ContainerTerms terms) {
    return ContainerTerms.roles(List.of(terms)).getFirst();
  }

  // ---- meaning ----------------------------------------------------------------------------------

  @ParameterizedTest
  @Rule({"JS-160", "JS-132d", "DEC-10"})
  @CsvSource({
    "NEVER, RESTART_ALL_CONTAINERS, 7, RESTARTS_ALL",
    "NEVER, RESTART_ALL_CONTAINERS, 8, FAILS_POD",
    "NEVER, RESTART_ALL_CONTAINERS, 0, NOTHING",
    "ON_FAILURE, RESTART_ALL_CONTAINERS, 7, RESTARTS_ALL",
    "ON_FAILURE, RESTART_ALL_CONTAINERS, 8, NOTHING",
    "ALWAYS, RESTART, 7, NOTHING",
    "NEVER, RESTART, 7, NOTHING",
    "NEVER, RESTART, 8, FAILS_POD",
    "ALWAYS, TERMINATE, 7, FAILS_POD",
    "ALWAYS, COMPLETE, 7, NOTHING",
    "ALWAYS, TERMINATE_POD, 7, FAILS_POD",
  })
  void an_exit_means(RestartPolicy own, Action action, int code, Meaning meaning) {
    var terms = terms(Kind.REGULAR, own, on(action, Operator.IN, 7));

    assertThat(terms.meaning(Exit.of(code))).isEqualTo(meaning);
  }

  @ParameterizedTest
  @Rule({"JS-132", "JS-132a", "JS-132g", "JS-138"})
  @CsvSource({
    "AGENT, RESTARTS_ALL",
    "AGENT_AND_WORKER, RESTARTS_ALL",
    "REGULAR, NOTHING",
    "SIDECAR, NOTHING",
    "INIT, NOTHING",
  })
  void of_an_agent_every_code_but_0_counts(Kind kind, Meaning meaning) {
    var terms = terms(kind, RestartPolicy.ALWAYS, on(Action.RESTART, Operator.NOT_IN, 0));

    assertThat(terms.meaning(Exit.of(3))).isEqualTo(meaning);
    assertThat(terms.meaning(Exit.of(0))).isEqualTo(Meaning.NOTHING);
  }

  @Test
  @Rule({"GATE-13", "JS-160"})
  void a_rule_whose_gate_is_off_on_the_node_says_nothing_here_either() {
    var rules = List.of(on(Action.RESTART_ALL_CONTAINERS, Operator.NOT_IN, 0));
    var gates = EnumSet.complementOf(EnumSet.of(RuleGate.RESTART_ALL_CONTAINERS));
    var off =
        new ContainerTerms(
            Kind.REGULAR, gates, RestartPolicy.NEVER, RestartPolicy.ON_FAILURE, rules);
    var none =
        new ContainerTerms(
            Kind.REGULAR, Set.of(), RestartPolicy.NEVER, RestartPolicy.ON_FAILURE, rules);

    assertThat(off.meaning(Exit.of(1))).isEqualTo(Meaning.NOTHING);
    assertThat(role(off)).isEqualTo(Role.HELPER);
    assertThat(none.meaning(Exit.of(1))).isEqualTo(Meaning.FAILS_POD);
  }

  // ---- roles ------------------------------------------------------------------------------------

  @Test
  @Rule({"JS-160", "JS-145", "JS-57a"})
  void init_containers_before_the_agent_are_told_from_those_behind_it() {
    var init = terms(Kind.INIT, RestartPolicy.INHERIT);
    var sidecar = terms(Kind.SIDECAR, RestartPolicy.ALWAYS);
    var agent = terms(Kind.AGENT, RestartPolicy.ALWAYS);
    var main = terms(Kind.AGENT_AND_WORKER, RestartPolicy.ON_FAILURE);

    assertThat(ContainerTerms.roles(List.of(init, sidecar, init, agent, init, worker(), main)))
        .containsExactly(
            Role.INIT, Role.HELPER, Role.INIT, Role.AGENT, Role.HELPER, Role.WORKER, Role.WORKER);
  }

  @Test
  @Rule("JS-160")
  void a_container_that_only_ever_starts_again_is_a_helper() {
    assertThat(role(terms(Kind.REGULAR, RestartPolicy.ALWAYS))).isEqualTo(Role.HELPER);
    assertThat(role(terms(Kind.REGULAR, RestartPolicy.ON_FAILURE))).isEqualTo(Role.HELPER);
    assertThat(
            role(terms(Kind.REGULAR, RestartPolicy.NEVER, on(Action.RESTART, Operator.NOT_IN, 0))))
        .isEqualTo(Role.HELPER);
    assertThat(role(worker())).isEqualTo(Role.WORKER);
  }

  /** Each container always starts again, but for one sort of exit. */
  @Test
  @Rule({"JS-160", "COND-01", "COND-02", "COND-03", "COND-04"})
  void one_exit_that_counts_makes_a_worker() {
    var conditions =
        List.of(
            new Condition.ExitCodes(Operator.IN, List.of(255)),
            new Condition.ExitCodes(Operator.NOT_IN, List.of(0, 1, 2)),
            new Condition.RestartTimes(3),
            new Condition.OomKill(),
            new Condition.AnyExit());

    for (var condition : conditions) {
      var rule = when(Action.RESTART_ALL_CONTAINERS, condition);

      assertThat(role(terms(Kind.REGULAR, RestartPolicy.ALWAYS, rule)))
          .as("%s", condition)
          .isEqualTo(Role.WORKER);
    }
  }

  @Test
  @Rule("JS-160")
  void codes_no_process_can_end_with_make_no_worker() {
    var impossible = on(Action.RESTART_ALL_CONTAINERS, Operator.IN, 0, -1, 256);

    assertThat(role(terms(Kind.REGULAR, RestartPolicy.ALWAYS, impossible))).isEqualTo(Role.HELPER);
  }

  @Test
  @Rule({"JS-160", "VAL-08"})
  void a_rule_may_name_every_code() {
    var every = new ArrayList<>(IntStream.rangeClosed(1, 255).boxed().toList());
    var restart = ExitRule.on(Action.RESTART, Operator.IN, every);

    assertThat(role(worker(restart))).isEqualTo(Role.HELPER);
    every.removeLast();
    assertThat(role(worker(ExitRule.on(Action.RESTART, Operator.IN, every))))
        .isEqualTo(Role.WORKER);
  }

  // ---- ends -------------------------------------------------------------------------------------

  private static GroupPod.Container judged(
      ContainerTerms terms, ContainerTerms.End ended, ContainerTerms.End last) {
    var shown =
        new ContainerTerms.Shown(
            2, false, Optional.of(ended), Optional.ofNullable(last), "because");
    return terms.judge("w", Role.WORKER, shown);
  }

  private static ContainerTerms.End end(int code, String reason) {
    return new ContainerTerms.End(code, reason, "text", AT);
  }

  @Test
  @Rule("JS-160")
  void what_the_status_shows_is_kept() {
    var container = judged(worker(), end(9, "Error"), end(137, "RestartingAllContainers"));

    assertThat(container)
        .isEqualTo(
            new GroupPod.Container(
                "w",
                Role.WORKER,
                2,
                false,
                Optional.of(new GroupPod.Ended(9, Meaning.FAILS_POD, false, "text", AT)),
                Optional.of(new GroupPod.Ended(137, Meaning.FAILS_POD, true, "text", AT)),
                "because"));
  }

  @Test
  @Rule({"COND-03", "JS-160"})
  void an_end_for_want_of_memory_is_seen() {
    var terms =
        terms(
            Kind.REGULAR,
            RestartPolicy.ALWAYS,
            when(Action.RESTART_ALL_CONTAINERS, new Condition.OomKill()));

    assertThat(judged(terms, end(137, "OOMKilled"), null).ended().orElseThrow().fails()).isTrue();
    assertThat(judged(terms, end(137, "Error"), null).ended().orElseThrow().fails()).isFalse();
  }

  /** The total says nothing about one epoch: only what is certain counts. */
  @Test
  @Rule({"COND-02", "JS-160"})
  void only_restarts_that_the_status_proves_count() {
    var once =
        terms(
            Kind.REGULAR,
            RestartPolicy.ALWAYS,
            when(Action.RESTART_ALL_CONTAINERS, new Condition.RestartTimes(1)));
    var twice =
        terms(
            Kind.REGULAR,
            RestartPolicy.ALWAYS,
            when(Action.RESTART_ALL_CONTAINERS, new Condition.RestartTimes(2)));
    var cycle = end(137, "RestartingAllContainers");

    assertThat(judged(once, end(1, "Error"), end(1, "Error")).ended().orElseThrow().fails())
        .isTrue();
    assertThat(judged(once, end(1, "Error"), end(1, "Error")).last().orElseThrow().fails())
        .isFalse();
    assertThat(judged(once, end(1, "Error"), cycle).ended().orElseThrow().fails()).isFalse();
    assertThat(judged(once, end(1, "Error"), null).ended().orElseThrow().fails()).isFalse();
    assertThat(judged(twice, end(1, "Error"), end(1, "Error")).ended().orElseThrow().fails())
        .isFalse();
  }
}
