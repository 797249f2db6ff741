package dev.regroup.api.structural;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import org.junit.jupiter.api.Test;

/** What rules cost at most, beside the estimates of Kubernetes 1.36.3 for the same schema. */
class RuleCostTest {

  @Test
  void rules_are_estimated_as_kubernetes_does() throws Exception {
    var recorded = recorded();
    ObjectNode schema = recorded.path("schema").deepCopy();
    var rules = schema.putArray("x-kubernetes-validations");
    recorded.path("costs").forEach(one -> rules.addObject().set("rule", one.path("rule")));

    var compiled = SchemaRules.ofValue(Structural.of(schema));

    var ours = new LinkedHashMap<String, Long>();
    var theirs = new LinkedHashMap<String, Long>();
    for (int i = 0; i < compiled.here().size(); i++) {
      var rule = compiled.here().get(i);
      theirs.put(rule.rule().rule(), recorded.at("/costs/" + i + "/cost").asLong());
      assertThat(rule.expression()).as("%s: %s", rule.rule().rule(), rule.problem()).isNotNull();
      ours.put(rule.rule().rule(), compiled.mostCost(rule.expression()));
    }
    assertThat(ours).isEqualTo(theirs);
    assertThat(compiled.mostOccurrences()).isEqualTo(157_286);
  }

  private static JsonNode recorded() throws IOException {
    try (var file = RuleCostTest.class.getResourceAsStream("rule-costs-1.36.json")) {
      return new ObjectMapper().readTree(file);
    }
  }
}
