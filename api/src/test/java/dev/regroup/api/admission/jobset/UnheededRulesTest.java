package dev.regroup.api.admission.jobset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.yaml.YamlDocuments;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** JS-132a: through the whole admission of our own server. */
class UnheededRulesTest {

  private static final String AT = "spec.replicatedJobs[0].template.spec.template.";
  private static final String EXIT =
      "[{action: RestartAllContainers, exitCodes: {operator: In, values: [3]}}]";
  private static final String OOM = "[{action: RestartAllContainers, oomKill: {}}]";

  private static List<String> warnings(String agent, String annotations, String worker)
      throws Exception {
    var jobSet =
        (ObjectNode)
            YamlDocuments.read(
                    """
                    metadata:
                      name: t
                      namespace: team
                      annotations: {jobset.sigs.k8s.io/inject-in-place-restart-agent: %s}
                    spec:
                      failurePolicy: {maxRestarts: 3, restartStrategy: InPlaceRestart}
                      replicatedJobs:
                      - name: w
                        template:
                          spec:
                            backoffLimit: 2147483647
                            podReplacementPolicy: Failed
                            template:
                              metadata: {annotations: {%s}}
                              spec:
                                restartPolicy: Never
                                containers: [{name: w, image: x, command: [y], %s}]
                    """
                        .formatted(agent, annotations, worker)
                        .getBytes(UTF_8))
                .getFirst()
                .root();
    var kind = new GroupVersionKind("jobset.x-k8s.io", "v1alpha2", "JobSet");
    var admitted =
        new Admission(AdmissionSettings.of(Gates.product()), new Random(0))
            .admit(new Review(kind, Operation.CREATE, jobSet, null), Lookup.NOTHING);
    assertThat(admitted.errors()).isEmpty();
    return admitted.warnings().stream().filter(one -> one.contains("nobody heeds it")).toList();
  }

  private static String annotation(String rules) {
    return "regroup.dev/rules: '{\"w\": {\"restartPolicyRules\": %s}}'".formatted(rules);
  }

  @ParameterizedTest
  @ValueSource(strings = {"node", "sidecar", "'true'"})
  void the_annotation_says_nothing_to_other_agents(String agent) throws Exception {
    assertThat(warnings(agent, annotation("[]"), "env: []"))
        .containsExactly(
            AT
                + "metadata.annotations[regroup.dev/rules]: nobody heeds it, only an agent of kind"
                + " process would (write the rules into the container, or annotation"
                + " jobset.sigs.k8s.io/inject-in-place-restart-agent: process)");
  }

  @Test
  void memory_is_no_affair_of_an_agent() throws Exception {
    var oom = "[{\"action\": \"RestartAllContainers\", \"oomKill\": {}}]";

    assertThat(warnings("process", annotation(oom), "env: []"))
        .singleElement()
        .asString()
        .startsWith(AT + "metadata.annotations[regroup.dev/rules]: ")
        .contains("oomKill");
    assertThat(warnings("process", "a: b", "restartPolicy: Never, restartPolicyRules: " + OOM))
        .singleElement()
        .asString()
        .startsWith(AT + "spec.containers[0].restartPolicyRules: ")
        .contains("oomKill");
  }

  @Test
  void rules_that_somebody_heeds_are_not_warned_of() throws Exception {
    var rules = "restartPolicy: Never, restartPolicyRules: ";

    assertThat(warnings("process", "a: b", rules + EXIT)).isEmpty();
    assertThat(warnings("process", annotation("[]"), "env: []")).isEmpty();
    assertThat(warnings("node", "a: b", rules + OOM)).isEmpty();
  }
}
