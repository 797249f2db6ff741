package dev.regroup.api.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatchCriteriaTest {

  private static final JsonNode NAMESPACE =
      Wire.tree("{\"metadata\": {\"labels\": {\"team\": \"a\"}}}");

  @ParameterizedTest
  @CsvSource({
    "pods, '', true",
    "pods, status, false",
    "pods/status, status, true",
    "pods/status, '', false",
    "pods/*, status, true",
    "pods/*, '', true",
    "*, '', true",
    "*, status, false",
    "*/*, status, true",
    "*/status, status, true",
    "*/scale, status, false",
    "jobs, '', false"
  })
  void a_resource_is_named_with_its_part(String rule, String part, boolean covered) {
    var criteria = criteria("{'resourceRules': [" + rule("['*']", rule, "*") + "]}");

    assertThat(criteria.covers(pod("UPDATE", part, "default"))).isEqualTo(covered);
  }

  @ParameterizedTest
  @CsvSource({
    "CREATE, CREATE, true",
    "CREATE, DELETE, false",
    "*, CONNECT, true",
    "UPDATE, UPDATE, true"
  })
  void operations_are_told_apart(String wanted, String operation, boolean covered) {
    var criteria = criteria("{'resourceRules': [" + rule("['" + wanted + "']", "pods", "*") + "]}");

    assertThat(criteria.covers(pod(operation, "", "default"))).isEqualTo(covered);
  }

  @ParameterizedTest
  @CsvSource({
    "Namespaced, default, true",
    "Namespaced, '', false",
    "Cluster, default, false",
    "Cluster, '', true",
    "*, '', true"
  })
  void scope_is_where_the_object_lives(String scope, String namespace, boolean covered) {
    var criteria = criteria("{'resourceRules': [" + rule("['*']", "pods", scope) + "]}");

    assertThat(criteria.covers(pod("CREATE", "", namespace))).isEqualTo(covered);
  }

  @Test
  void a_namespace_is_an_object_of_the_cluster() {
    var criteria = criteria("{'resourceRules': [" + rule("['*']", "*", "Cluster") + "]}");
    var target = new MatchTarget("CREATE", "", "v1", "namespaces", "", "x", "x");

    assertThat(criteria.covers(target)).isTrue();
  }

  @Test
  void exceptions_win() {
    var criteria =
        criteria(
            "{'resourceRules': ["
                + rule("['*']", "*", "*")
                + "], 'excludeResourceRules': ["
                + rule("['*']", "pods", "*")
                + "]}");

    assertThat(criteria.includes(pod("CREATE", "", "default"))).isFalse();
    assertThat(criteria.covers(pod("CREATE", "", "default"))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"a, default, true", "b, default, false", "b, '', true"})
  void labels_of_the_namespace_count_where_there_is_one(
      String team, String namespace, boolean selected) {
    var criteria = criteria("{'namespaceSelector': {'matchLabels': {'team': '" + team + "'}}}");

    assertThat(criteria.selects(pod("CREATE", "", namespace), () -> NAMESPACE, null, null))
        .isEqualTo(selected);
  }

  @Test
  void labels_of_the_old_or_of_the_new_object_are_enough() {
    var criteria = criteria("{'objectSelector': {'matchLabels': {'team': 'a'}}}");
    var target = pod("UPDATE", "", "default");
    var plain = Wire.object();

    assertThat(criteria.selects(target, () -> NAMESPACE, NAMESPACE, plain)).isTrue();
    assertThat(criteria.selects(target, () -> NAMESPACE, plain, NAMESPACE)).isTrue();
    assertThat(criteria.selects(target, () -> NAMESPACE, plain, plain)).isFalse();
  }

  private static MatchCriteria criteria(String json) {
    return MatchCriteria.ofPolicy(Wire.tree(json.replace('\'', '"')));
  }

  private static String rule(String operations, String resource, String scope) {
    return ("{'operations': %s, 'apiGroups': ['', '*'], 'apiVersions': ['v1'],"
            + " 'resources': ['%s'], 'scope': '%s'}")
        .formatted(operations, resource, scope);
  }

  private static MatchTarget pod(String operation, String part, String namespace) {
    return new MatchTarget(operation, "", "v1", "pods", part, namespace, "p");
  }
}
