package dev.regroup.api.admission;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.yaml.YamlDocuments;
import java.util.List;
import org.junit.jupiter.api.Test;

class RulesAnnotationTest {

  private static List<String> check(String rules, boolean honoured) throws Exception {
    var template =
        (ObjectNode)
            YamlDocuments.read(
                    """
                    metadata: {annotations: {}}
                    spec: {restartPolicy: Never, containers: [{name: w, image: x, command: [y]}]}
                    """
                        .getBytes(UTF_8))
                .getFirst()
                .root();
    ((ObjectNode) template.at("/metadata/annotations")).put("regroup.dev/rules", rules);
    return new RulesAnnotation()
        .check(template, FieldPath.of("template"), honoured).stream()
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

    assertThat(check(Wire.text(rules), true)).isEmpty();
  }

  @Test
  void what_nobody_would_heed_is_refused() throws Exception {
    assertThat(check("{\"w\":{\"onCompletion\":\"TerminatePod\"}}", false))
        .singleElement()
        .asString()
        .startsWith("template.metadata.annotations[regroup.dev/rules]: Forbidden")
        .contains("jobset.sigs.k8s.io/inject-in-place-restart-agent: process");
  }

  @Test
  void broken_rules_are_named() throws Exception {
    assertThat(check("nonsense", true))
        .singleElement()
        .asString()
        .contains("must be a JSON object of rules by container name");
    assertThat(check("{\"other\":{}}", true)).singleElement().asString().contains("Not found");
    assertThat(check("{\"w\":{\"env\":[]}}", true))
        .singleElement()
        .asString()
        .contains("only restartPolicyRules and onCompletion are known");
    assertThat(
            check("{\"w\":{\"restartPolicyRules\":[{\"action\":\"Explode\",\"exit\":{}}]}}", true))
        .singleElement()
        .asString()
        .contains("restartPolicyRules[0].action", "Explode");
  }
}
