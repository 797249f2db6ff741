package dev.regroup.api.admission;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.yaml.YamlDocuments;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesAnnotationTest {

  private static final Optional<String> NOBODY = Optional.empty();
  private static final Optional<String> W = Optional.of("w");
  private static final String ALONE = "[{name: w, image: x, command: [y]}]";
  private static final String TWO = "[{name: w, image: x, command: [y]}, {name: v, image: x}]";

  private static List<String> check(String rules, Optional<String> worker) throws Exception {
    return check(ALONE, rules, worker);
  }

  private static List<String> check(String containers, String rules, Optional<String> worker)
      throws Exception {
    var template =
        (ObjectNode)
            YamlDocuments.read(
                    """
                    metadata: {annotations: {}}
                    spec: {restartPolicy: Never, containers: %s}
                    """
                        .formatted(containers)
                        .getBytes(UTF_8))
                .getFirst()
                .root();
    ((ObjectNode) template.at("/metadata/annotations")).put("regroup.dev/rules", rules);
    return new RulesAnnotation()
        .check(template, FieldPath.of("template"), worker).stream()
            .map(FieldError::toString)
            .toList();
  }

  @Test
  void what_a_container_could_say_on_regroups_nodes_is_taken() throws Exception {
    var rules =
        Wire.tree(
            """
            {"w": {"restartPolicyRules": [
              {"action": "Terminate", "exitCodes": {"operator": "In", "values": [42]}},
              {"action": "RestartAllContainers", "exit": {}}],
             "onCompletion": "TerminatePod"}}
            """);

    assertThat(check(Wire.text(rules), W)).isEmpty();
  }

  @Test
  void what_nobody_would_heed_is_refused() throws Exception {
    assertThat(check("{\"w\":{\"onCompletion\":\"TerminatePod\"}}", NOBODY))
        .singleElement()
        .asString()
        .startsWith("template.metadata.annotations[regroup.dev/rules]: Forbidden")
        .contains("jobset.sigs.k8s.io/inject-in-place-restart-agent: process");
  }

  @Test
  void broken_rules_are_named() throws Exception {
    assertThat(check("nonsense", W))
        .singleElement()
        .asString()
        .contains("must be a JSON object of rules by container name");
    assertThat(check("{\"other\":{}}", W)).singleElement().asString().contains("Not found");
    assertThat(check("{\"w\":{\"env\":[]}}", W))
        .singleElement()
        .asString()
        .contains("only restartPolicyRules and onCompletion are known");
    assertThat(check("{\"w\":{\"restartPolicyRules\":[{\"action\":\"Explode\",\"exit\":{}}]}}", W))
        .singleElement()
        .asString()
        .contains("restartPolicyRules[0].action", "Explode");
  }

  /** ACT-06, COND-03, RAC-14, TPC-01: what an agent cannot do as a node would. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "v | {\"action\":\"Terminate\",\"exit\":{}} | \"v\" does not run below an agent",
        "w | {\"action\":\"TerminatePod\",\"exit\":{}} | no agent can end the other containers",
        "w | {\"action\":\"Complete\",\"oomKill\":{}} | the kernel may end the agent together",
        "w | {\"action\":\"RestartAllContainers\",\"exit\":{},\"terminationGracePeriodSeconds\":5}"
            + " | an agent restarts no other container",
      })
  void what_an_agent_could_not_do_exactly_is_refused_with_the_reason(
      String container, String rule, String reason) throws Exception {
    String rules = "{\"%s\":{\"restartPolicyRules\":[%s]}}".formatted(container, rule);

    assertThat(check(TWO, rules, W))
        .singleElement()
        .asString()
        .startsWith("template.metadata.annotations[regroup.dev/rules]: Forbidden")
        .contains(reason);
  }

  /** TPC-01. */
  @Test
  void the_end_of_the_pod_needs_other_containers_to_be_sidecars() throws Exception {
    String rules = "{\"w\":{\"onCompletion\":\"TerminatePod\"}}";

    assertThat(check(ALONE, rules, W)).isEmpty();
    assertThat(check(TWO, rules, W)).singleElement().asString().contains("make them sidecars");
  }
}
