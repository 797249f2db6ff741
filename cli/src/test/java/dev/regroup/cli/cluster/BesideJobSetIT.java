package dev.regroup.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetDefinition;
import dev.regroup.cli.deploy.InstallSettings;
import dev.regroup.cli.deploy.Installer;
import dev.regroup.cli.group.RestartAsk;
import dev.regroup.cli.group.Target;
import dev.regroup.cli.screen.CliFailure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * On a cluster whose JobSet definition is somebody else's (JS-154), as docs/cluster.md says under
 * "Beside JobSet's own controller".
 */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(240)
class BesideJobSetIT {

  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String DEFINITION = DEFINITIONS + "/" + JobSetDefinition.NAME;
  private static final String JOB_SETS =
      "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String SERVICES = "/api/v1/namespaces/default/services";

  /** What the released definition does not declare of a status. */
  private static final List<String> OURS =
      List.of(
          "deprecatedEpoch",
          "syncedEpoch",
          "uncountedInPlaceRestartAttempts",
          "inPlaceRestartsCountTowardsMax",
          "inPlaceRestarts",
          "lastRestartRequest");

  /** Restarts in place, with what Regroup would fill in or refuse. */
  private static final String JOB_SET =
      """
      apiVersion: jobset.x-k8s.io/v1alpha2
      kind: JobSet
      metadata: {name: NAME}
      spec:
        MANAGER
        failurePolicy: {maxRestarts: 2, restartStrategy: InPlaceRestart}
        replicatedJobs:
        - name: w
          template:
            spec:
              parallelism: 2
              MORE
              template:
                spec:
                  containers:
                  - {name: worker, image: x, command: [train]}
      """;

  private static final String TRAIN =
      JOB_SET
          .replace("NAME", "train")
          .replace("MANAGER", "managedBy: regroup.dev/jobset-controller")
          .replace("MORE", "");

  private static final String OTHER =
      JOB_SET
          .replace("NAME", "other")
          .replace("MANAGER", "managedBy: jobset.sigs.k8s.io/jobset-controller")
          .replace("MORE", "backoffLimit: 3");

  @TempDir Path folder;
  private BareCluster cluster;
  private final List<String> said = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    cluster = new BareCluster(folder);
    cluster.post(DEFINITIONS, Wire.text(theirs()));
    cluster.await(
        DEFINITION, found -> found.at("/status/conditions").toString().contains("Established"));
    said.addAll(cluster.install());
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private static ObjectNode theirs() {
    var definition = JobSetDefinition.object();
    definition.withObject("/metadata").remove("labels");
    var schema = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties";
    definition.withObject(schema).remove(OURS);
    return definition;
  }

  @Test
  void the_definition_stays_as_it_is_and_longer_than_regroup() throws Exception {
    var before = cluster.get(DEFINITION);
    assertThat(said)
        .contains(
            "the JobSet definition of this cluster is not Regroup's and stays as it is: only"
                + " JobSets with spec.managedBy regroup.dev/jobset-controller are run");
    assertThat(before.path("spec").toString()).doesNotContain("inPlaceRestartsCountTowardsMax");
    assertThat(before.path("metadata").has("labels")).isFalse();
    cluster.post(JOB_SETS, OTHER); // nobody is asked, so it is no matter that nobody answers

    installer().uninstall(true);

    assertThat(said).contains("the JobSet definition is not Regroup's and stays");
    var after = cluster.get(DEFINITION);
    assertThat(after.path("spec")).isEqualTo(before.path("spec"));
    assertThat(after.path("metadata").has("labels")).isFalse();
    assertThat(after.path("metadata").has("deletionTimestamp")).isFalse();
    assertThat(cluster.get(JOB_SETS + "/other").path("kind").asText()).isEqualTo("JobSet");
  }

  private Installer installer() {
    var values = Wire.object().put("webhookUrl", "https://127.0.0.1:" + cluster.webhookPort);
    var settings = new InstallSettings(BareCluster.NAMESPACE, values, BareCluster.LIMIT);
    return new Installer(cluster.admin(), settings, said::add, said::add);
  }

  /** JS-23, JS-73, JS-89a: its budget is counted from the attempts. */
  @Test
  void only_jobsets_that_name_regroup_are_run_and_their_attempts_are_the_budget() throws Exception {
    try (var _ = cluster.controller(cluster.settings())) {
      var other = cluster.post(JOB_SETS, OTHER);
      var own = cluster.post(JOB_SETS, TRAIN);
      assertThat(other.at("/spec/replicatedJobs/0/template/spec").has("podReplacementPolicy"))
          .as("nobody fills it in, and nobody refuses its backoffLimit")
          .isFalse();
      assertThat(own.at("/spec/replicatedJobs/0/template/spec/podReplacementPolicy").asText())
          .isEqualTo("Failed");

      arrive(0);
      for (int attempt = 1; attempt <= 2; attempt++) {
        int last = attempt - 1;
        awaitStatus(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == last);
        write(firstPod(), attempt);
        awaitStatus(status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == last);
        arrive(attempt);
      }
      var twice = awaitStatus(status -> status.path("currentInPlaceRestartAttempt").asInt() == 2);
      assertThat(OURS).noneMatch(twice::has);
      write(firstPod(), 3);

      var failed = awaitStatus(status -> status.path("terminalState").asText().equals("Failed"));
      assertThat(failed.path("conditions").toString()).contains("ReachedMaxRestarts");
      assertThat(cluster.get(JOB_SETS + "/other").path("status").path("conditions")).isEmpty();
      assertThat(cluster.get("/apis/batch/v1/namespaces/default/jobs").toString())
          .doesNotContain("other-w-0");
      assertThat(cluster.refusals()).isEmpty();
    }
  }

  /** JS-167: whoever asks by an annotation is not served for ever, whoever asks us hears why. */
  @ParameterizedTest
  @EnumSource(names = {"AUTO", "ALL"})
  void nobody_is_restarted_on_demand_who_could_not_be_remembered(ControllerSettings.Manage manage)
      throws Exception {
    try (var _ = cluster.controller(cluster.settings().with(manage))) {
      cluster.post(JOB_SETS, TRAIN);
      arrive(0);
      awaitStatus(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);

      cluster.patch(
          JOB_SETS + "/train",
          "{\"metadata\":{\"annotations\":{\"regroup.dev/restart-request\":\"r1\"}}}");
      for (int i = 0; i < 2; i++) { // the second pass begins after the first has ended
        var uid = cluster.get(SERVICES + "/train").at("/metadata/uid").asText();
        cluster.delete(SERVICES + "/train");
        cluster.await(
            SERVICES + "/train",
            service ->
                service.path("kind").asText().equals("Service")
                    && !service.at("/metadata/uid").asText().equals(uid));
      }

      assertThat(
              cluster.get(JOB_SETS + "/train").path("status").has("previousInPlaceRestartAttempt"))
          .isFalse();
      var ask = new RestartAsk(cluster.admin(), BareCluster.LIMIT);
      var wish = new RestartAsk.Wish("r2", "", OptionalInt.empty(), false);
      assertThatThrownBy(() -> ask.restart(Target.of("jobset/train", "default"), wish))
          .isInstanceOf(CliFailure.class)
          .hasMessageContaining("the JobSet definition is not Regroup's");
    }
  }

  private JsonNode awaitStatus(Predicate<JsonNode> fact) throws Exception {
    return cluster
        .await(JOB_SETS + "/train", jobSet -> fact.test(jobSet.path("status")))
        .path("status");
  }

  private void arrive(int attempt) throws Exception {
    for (var pod : cluster.await(PODS, list -> list.path("items").size() == 2).path("items")) {
      write(pod.at("/metadata/name").asText(), attempt);
    }
  }

  private String firstPod() throws Exception {
    return cluster.get(PODS).at("/items/0/metadata/name").asText();
  }

  /** As agents do. */
  private void write(String pod, int attempt) throws Exception {
    cluster.patch(
        PODS + "/" + pod,
        "{\"metadata\":{\"annotations\":{\"jobset.sigs.k8s.io/in-place-restart-attempt\":\"%d\"}}}"
            .formatted(attempt));
  }
}
