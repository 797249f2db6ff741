package dev.regroup.api.quota;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotaTest {

  @Test
  void a_pod_uses_what_its_hungriest_moment_needs() {
    var pod =
        tree(
            "{'spec': {'containers': [{'resources': {'requests': {'cpu': '1', 'memory': '64Mi'},"
                + " 'limits': {'cpu': '2'}}}, {'resources': {'requests': {'cpu': '500m'}}}],"
                + " 'initContainers': [{'restartPolicy': 'Always',"
                + " 'resources': {'requests': {'cpu': '250m'}}},"
                + " {'resources': {'requests': {'cpu': '3', 'memory': '32Mi'}}}]}}");

    assertThat(QuotaUsage.of("", "pods", pod).toString())
        .isEqualTo(
            "count/pods=1,cpu=3250m,limits.cpu=2,memory=64Mi,pods=1,requests.cpu=3250m,"
                + "requests.memory=64Mi");
  }

  @Test
  void a_pod_that_ended_is_only_counted() {
    var pod = tree("{'spec': {'containers': [{}]}, 'status': {'phase': 'Failed'}}");

    assertThat(QuotaUsage.of("", "pods", pod).toString()).isEqualTo("count/pods=1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "services|{'spec': {'type': 'NodePort', 'ports': [{},"
            + " {}]}}|count/services=1,services=1,services.nodeports=2",
        "services|{'spec': {'type': 'ClusterIP', 'ports': [{}]}}|count/services=1,services=1",
        "persistentvolumeclaims|{'spec': {'storageClassName': 'fast', 'resources': {'requests':"
            + " {'storage': '1Gi'}}}}"
            + "|count/persistentvolumeclaims=1,fast.storageclass.storage.k8s.io/persistentvolumeclaims=1,"
            + "fast.storageclass.storage.k8s.io/requests.storage=1Gi,persistentvolumeclaims=1,requests.storage=1Gi",
        "secrets|{}|count/secrets=1,secrets=1"
      })
  void kinds_use_what_they_use(String plural, String object, String usage) {
    assertThat(QuotaUsage.of("", plural, tree(object)).toString()).isEqualTo(usage);
  }

  @Test
  void kinds_of_other_groups_are_counted_by_both_names() {
    assertThat(QuotaUsage.of("batch", "jobs", Wire.object()).toString())
        .isEqualTo("count/jobs.batch=1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'scopes': ['Terminating']|{'activeDeadlineSeconds': 1}|true",
        "'scopes': ['Terminating']|{}|false",
        "'scopes': ['NotTerminating']|{}|true",
        "'scopes': ['BestEffort']|{'containers': [{}]}|true",
        "'scopes': ['NotBestEffort']|{'containers': [{'resources': {'limits': {'cpu':"
            + " '1'}}}]}|true",
        "'scopeSelector': {'matchExpressions': [{'scopeName': 'PriorityClass', 'operator': 'In',"
            + " 'values': ['high']}]}|{'priorityClassName': 'high'}|true",
        "'scopeSelector': {'matchExpressions': [{'scopeName': 'PriorityClass', 'operator': 'NotIn',"
            + " 'values': ['high']}]}|{'priorityClassName': 'high'}|false",
        "'scopes': ['CrossNamespacePodAffinity']|{'affinity': {'podAffinity': {"
            + "'requiredDuringSchedulingIgnoredDuringExecution': [{'namespaces': ['a']}]}}}|true",
        "'scopes': ['CrossNamespacePodAffinity']|{'affinity': {'podAntiAffinity': {"
            + "'preferredDuringSchedulingIgnoredDuringExecution': [{'podAffinityTerm':"
            + " {'namespaceSelector': {}}}]}}}|true",
        "'scopes': ['CrossNamespacePodAffinity']|{'affinity': {'podAffinity': {"
            + "'requiredDuringSchedulingIgnoredDuringExecution': [{'topologyKey': 'a'}]}}}|false",
        "'scopes': ['Terminating', 'BestEffort']|{'activeDeadlineSeconds': 1, 'containers':"
            + " [{}]}|true"
      })
  void scopes_choose_pods(String scopes, String spec, boolean counts) {
    var quota = Quota.of(tree("{'spec': {" + scopes + "}}"));

    assertThat(quota.counts("", "pods", tree("{'spec': " + spec + "}"))).isEqualTo(counts);
    assertThat(quota.counts("", "secrets", Wire.object())).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"In,fast,true", "In,slow,false", "Exists,slow,true", "Exists,,false"})
  void a_scope_chooses_claims(String operator, String name, boolean counts) {
    var quota =
        Quota.of(
            tree(
                "{'spec': {'scopeSelector': {'matchExpressions': [{'scopeName':"
                    + " 'VolumeAttributesClass', 'operator': '"
                    + operator
                    + "', 'values': ['fast']}]}}}"));
    var claim = Wire.object();
    claim.putObject("spec").put("volumeAttributesClassName", name);

    assertThat(quota.counts("", "persistentvolumeclaims", claim)).isEqualTo(counts);
    assertThat(quota.counts("", "pods", Wire.object())).isFalse();
  }

  @Test
  void less_is_never_refused() {
    var quota =
        Quota.of(
            tree(
                "{'metadata': {'name': 'q'}, 'status': {'hard': {'services.nodeports': '1'},"
                    + " 'used': {'services.nodeports': '3'}}}"));
    var fewer = QuotaAmounts.of(tree("{'services.nodeports': '-1'}"));

    assertThat(quota.refusal(fewer, "", "services", Wire.object())).isEmpty();
  }

  private static ObjectNode tree(String json) {
    return Wire.tree(json.replace('\'', '"'));
  }
}
