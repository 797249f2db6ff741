package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.jobset.JobSetPlan;
import org.junit.jupiter.api.Test;

class ChildObjectsTest {

  private static final JobSetGates GATES = new JobSetGates(false, false, false);

  private static JobSetView jobSet(String annotations) {
    return JobSetView.read(
        Wire.tree(
            """
            {"metadata":{"name":"train","namespace":"team","uid":"u","annotations":{%s}},
             "spec":{"network":{"enableDNSHostnames":true,"subdomain":"peers"},
              "volumeClaimPolicies":[{"templates":[{"metadata":{"name":"data"},"spec":{}}]}],
              "replicatedJobs":[{"name":"w","replicas":1,"template":{"spec":{"template":{"spec":{
               "containers":[{"name":"c","volumeMounts":[{"name":"data","mountPath":"/d"}]}]}}}}}]}}
            """
                .formatted(annotations)));
  }

  /** JS-32, JS-31. */
  @Test
  void service_and_claims_are_named_after_subdomain_and_template() {
    var jobSet = jobSet("");
    var network = jobSet.spec().network().orElseThrow();

    var job =
        ChildObjects.job(
            jobSet, GATES, AgentSettings.LOCAL, new JobSetPlan.Effect.CreateJob(0, 0, "train-w-0"));

    assertThat(ChildObjects.service(jobSet, network).at("/metadata/name").asText())
        .isEqualTo("peers");
    assertThat(ChildObjects.claim(jobSet, "data").at("/metadata/name").asText())
        .isEqualTo("data-train");
    assertThat(job.at("/spec/template/spec/subdomain").asText()).isEqualTo("peers");
    assertThat(job.at("/spec/template/spec/volumes/0/persistentVolumeClaim/claimName").asText())
        .isEqualTo("data-train");
  }

  /** JS-169. */
  @Test
  void the_nearest_restart_grace_reaches_the_pods() {
    var jobSet = jobSet("\"regroup.dev/restart-grace\":\"7\"");
    var created = new JobSetPlan.Effect.CreateJob(0, 0, "train-w-0");
    var grace = "/spec/template/metadata/annotations/regroup.dev~1restart-grace";

    assertThat(ChildObjects.job(jobSet, GATES, AgentSettings.LOCAL, created).at(grace).asText())
        .isEqualTo("7");

    var entry = (ObjectNode) jobSet.tree().at("/spec/replicatedJobs/0/template");
    entry
        .withObjectProperty("metadata")
        .withObjectProperty("annotations")
        .put("regroup.dev/restart-grace", "5");
    assertThat(ChildObjects.job(jobSet, GATES, AgentSettings.LOCAL, created).at(grace).asText())
        .isEqualTo("5");
  }

  /** JS-39. */
  @Test
  void a_job_placed_by_labels_of_nodes_selects_its_own_and_tolerates_their_taint() {
    var jobSet =
        jobSet(
            """
            "alpha.jobset.sigs.k8s.io/exclusive-topology":"rack",
            "alpha.jobset.sigs.k8s.io/node-selector":"true"
            """);

    var job =
        ChildObjects.job(
            jobSet, GATES, AgentSettings.LOCAL, new JobSetPlan.Effect.CreateJob(0, 0, "train-w-0"));

    var podSpec = job.at("/spec/template/spec");
    assertThat(podSpec.at("/nodeSelector/alpha.jobset.sigs.k8s.io~1namespaced-job").asText())
        .isEqualTo("team_train-w-0");
    assertThat(podSpec.at("/tolerations/0/key").asText())
        .isEqualTo("alpha.jobset.sigs.k8s.io/no-schedule");
  }
}
