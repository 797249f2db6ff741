package dev.regroup.api.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.ExitRule.Action;
import dev.regroup.rules.ExitRule.Condition;
import dev.regroup.rules.ExitRule.Operator;
import dev.regroup.rules.RestartPolicy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RestartFieldsTest {

  private static List<ExitRule> rules(String json) {
    return RestartFields.rules(Wire.tree("{\"restartPolicyRules\":[" + json + "]}"));
  }

  @Test
  @DisplayName("COND-01 to COND-04, ACT-07, RAC-14: a rule is read with everything it can say")
  void a_rule_is_read_with_all_its_fields() {
    assertThat(
            rules(
                """
                {"action":"RestartAllContainers","exitCodes":{"operator":"NotIn","values":[0,3]},
                 "keep":["s"],"terminationGracePeriodSeconds":5},
                {"action":"Terminate","restartTimes":3},
                {"action":"Complete","oomKill":{}},
                {"action":"TerminatePod","exit":{}}
                """))
        .containsExactly(
            new ExitRule(
                Action.RESTART_ALL_CONTAINERS,
                new Condition.ExitCodes(Operator.NOT_IN, List.of(0, 3)),
                List.of("s"),
                Duration.ofSeconds(5)),
            new ExitRule(Action.TERMINATE, new Condition.RestartTimes(3), List.of(), Duration.ZERO),
            new ExitRule(Action.COMPLETE, new Condition.OomKill(), List.of(), Duration.ZERO),
            new ExitRule(Action.TERMINATE_POD, new Condition.AnyExit(), List.of(), Duration.ZERO));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "7",
        "\"Restart\"",
        "[]",
        "{}",
        "{\"action\":null}",
        "{\"action\":7}",
        "{\"action\":\"Explode\",\"exit\":{}}"
      })
  @DisplayName("DEC-13: what is no rule has no effect")
  void what_is_no_rule_is_left_out(String rule) {
    assertThat(rules(rule)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",\"exitCodes\":null",
        ",\"exitCodes\":7",
        ",\"exitCodes\":{}",
        ",\"exitCodes\":{\"operator\":\"Above\",\"values\":[1]}",
        ",\"restartTimes\":\"3\"",
        ",\"restartTimes\":99999999999",
        ",\"oomKill\":null,\"exit\":null"
      })
  @DisplayName("DEC-13: a rule whose condition cannot be read never matches")
  void an_unreadable_condition_never_matches(String condition) {
    var rules = rules("{\"action\":\"Restart\"" + condition + "}");

    assertThat(rules).hasSize(1);
    assertThat(rules.getFirst().condition())
        .isInstanceOfSatisfying(
            Condition.ExitCodes.class,
            codes -> assertThat(codes.operator()).isEqualTo(Operator.UNKNOWN));
  }

  @Test
  @DisplayName("VAL-08: more codes than admission allows are read as far as it allows them")
  void too_many_codes_do_no_harm() {
    var values = IntStream.range(0, 300).boxed().toList();

    var rules =
        rules(
            "{\"action\":\"Restart\",\"exitCodes\":{\"operator\":\"In\",\"values\":%s}}"
                .formatted(values));

    assertThat(rules.getFirst())
        .isEqualTo(ExitRule.on(Action.RESTART, Operator.IN, values.subList(0, 255)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                             | ALWAYS     | INHERIT
          {"restartPolicy":null}         | ALWAYS     | INHERIT
          {"restartPolicy":""}           | ALWAYS     | INHERIT
          {"restartPolicy":true}         | ALWAYS     | INHERIT
          {"restartPolicy":"Sometimes"}  | ALWAYS     | INHERIT
          {"restartPolicy":"Always"}     | ALWAYS     | ALWAYS
          {"restartPolicy":"OnFailure"}  | ON_FAILURE | ON_FAILURE
          {"restartPolicy":"Never"}      | NEVER      | NEVER
          """)
  @DisplayName(
      "API-01, API-02: without a policy a pod always restarts and a container does as its pod")
  void an_unknown_policy_is_none(String json, RestartPolicy pod, RestartPolicy container) {
    assertThat(RestartFields.podPolicy(Wire.tree(json))).isEqualTo(pod);
    assertThat(RestartFields.ownPolicy(Wire.tree(json))).isEqualTo(container);
  }
}
