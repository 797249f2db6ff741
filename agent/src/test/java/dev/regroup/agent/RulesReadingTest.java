package dev.regroup.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.ExitRule.Action;
import dev.regroup.rules.ExitRule.Condition;
import dev.regroup.rules.ExitRule.Operator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesReadingTest {

  /** ACT-01 to ACT-06, COND-01, COND-02, COND-04. */
  @Test
  void rules_are_read_as_a_container_has_them() throws Exception {
    var rules =
        RulesReading.of(
            "V",
            """
            {"restartPolicyRules": [
              {"action": "Restart", "exitCodes": {"operator": "In", "values": [1, 2]}},
              {"action": "RestartAllContainers", "exitCodes": {"operator": "NotIn", "values": []}},
              {"action": "Terminate", "restartTimes": 3},
              {"action": "Complete", "exit": {}},
              {"action": "TerminatePod", "exit": {}}]}
            """);

    assertThat(rules)
        .extracting(ExitRule::action)
        .containsExactly(
            Action.RESTART,
            Action.RESTART_ALL_CONTAINERS,
            Action.TERMINATE,
            Action.COMPLETE,
            Action.TERMINATE_POD);
    assertThat(rules)
        .extracting(ExitRule::condition)
        .startsWith(
            new Condition.ExitCodes(Operator.IN, List.of(1, 2)),
            new Condition.ExitCodes(Operator.NOT_IN, List.of()),
            new Condition.RestartTimes(3),
            new Condition.AnyExit());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "nonsense | V: not JSON",
        "{} | V: must be a JSON object with a list \"restartPolicyRules\"",
        "{\"restartPolicyRules\":[{\"action\":\"Explode\",\"exit\":{}}]} | got \"Explode\"",
        "{\"restartPolicyRules\":[{\"action\":\"Complete\",\"oomKill\":{}}]}"
            + " | V: restartPolicyRules[0]: must have exitCodes, restartTimes or exit",
        "{\"restartPolicyRules\":[{\"action\":\"Complete\",\"exitCodes\":{\"operator\":\"At\"}}]}"
            + " | must be In or NotIn, got \"At\"",
        "{\"restartPolicyRules\":[{\"action\":\"Complete\",\"exitCodes\":{\"values\":[\"1\"]}}]}"
            + " | must be a list of numbers",
      })
  void what_an_agent_cannot_do_is_said(String json, String problem) {
    assertThatThrownBy(() -> RulesReading.of("V", json))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining(problem);
  }
}
