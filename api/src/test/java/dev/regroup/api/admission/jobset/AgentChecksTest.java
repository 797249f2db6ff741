package dev.regroup.api.admission.jobset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.yaml.YamlDocuments;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class AgentChecksTest {

  private final ArrayList<FieldError> errors = new ArrayList<>();
  private final ArrayList<String> warnings = new ArrayList<>();

  private void check(String kind, String podSpec) throws Exception {
    var jobSet =
        (ObjectNode)
            YamlDocuments.read(
                    """
                    metadata: {name: t, namespace: team}
                    spec:
                      failurePolicy: {restartStrategy: InPlaceRestart}
                      replicatedJobs: [{name: w, template: {spec: {template: {spec: %s}}}}]
                    """
                        .formatted(podSpec)
                        .getBytes(UTF_8))
                .getFirst()
                .root();
    new AgentChecks(new AgentSettings(kind, "i", "c"), "the-role")
        .check(
            jobSet,
            (ObjectNode) jobSet.at("/spec/replicatedJobs/0"),
            FieldPath.of("spec", "replicatedJobs").index(0),
            errors,
            warnings);
  }

  /** JS-132a. */
  @Test
  void an_agent_that_runs_the_worker_must_know_its_command() throws Exception {
    check("process", "{containers: [{name: w, image: x}]}");

    assertThat(errors)
        .singleElement()
        .asString()
        .startsWith(
            "spec.replicatedJobs[0].template.spec.template.spec.containers[0].command: Required");
  }

  @Test
  void a_sidecar_need_not() throws Exception {
    check("sidecar", "{containers: [{name: w, image: x}]}");

    assertThat(errors).isEmpty();
    assertThat(warnings).isEmpty();
  }

  /** JS-132h. */
  @Test
  void an_account_of_the_users_own_is_told_which_role_it_needs() throws Exception {
    check("sidecar", "{serviceAccountName: mine, containers: [{name: w, image: x}]}");

    assertThat(warnings)
        .containsExactly(
            "spec.replicatedJobs[0].template.spec.template.spec.serviceAccountName: its agents need"
                + " a role: kubectl -n team create rolebinding mine-agent --clusterrole=the-role"
                + " --serviceaccount=team:mine");
  }

  @Test
  void who_brings_an_agent_along_is_left_alone() throws Exception {
    check(
        "process",
        "{serviceAccountName: mine, containers: [{name: w, image: x, env: [{name: WORKER_COMMAND,"
            + " value: y}]}]}");

    assertThat(errors).isEmpty();
    assertThat(warnings).isEmpty();
  }
}
