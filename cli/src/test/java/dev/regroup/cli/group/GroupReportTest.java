package dev.regroup.cli.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.cli.screen.CliFailure;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupReportTest {

  private static ObjectNode yaml(String text) throws Exception {
    return (ObjectNode) YamlDocuments.read(text.getBytes(UTF_8)).getFirst().root();
  }

  private static ObjectNode jobSet(String status) throws Exception {
    return yaml(
        """
        metadata: {name: train, namespace: ns}
        spec:
          failurePolicy: {maxRestarts: 3, restartStrategy: InPlaceRestart}
          replicatedJobs:
          - {name: w, replicas: 1, template: {spec: {parallelism: 3}}}
        status: %s
        """
            .formatted(status));
  }

  private static ObjectNode pod(String name, String attempt, String status) throws Exception {
    var annotations =
        attempt.isEmpty()
            ? "{}"
            : "{jobset.sigs.k8s.io/in-place-restart-attempt: \"%s\"}".formatted(attempt);
    return yaml(
        """
        metadata: {name: %s, annotations: %s}
        status: %s
        """
            .formatted(name, annotations, status));
  }

  @Test
  void tells_who_is_missing_at_the_barrier_and_why() throws Exception {
    var report =
        GroupReport.of(
            jobSet(
                """
                {currentInPlaceRestartAttempt: 1, previousInPlaceRestartAttempt: 1,
                  inPlaceRestartsCountTowardsMax: 2, restartsCountTowardsMax: 1,
                  conditions: [{type: RestartingJobSet, status: "True", reason: InPlaceRestart, message: m}]}
                """),
            List.of(
                pod("a", "2", "{}"),
                pod("b", "1", "{phase: Running}"),
                pod(
                    "c",
                    "",
                    "{containerStatuses: [{name: w, state: {waiting: {reason: ErrImagePull,"
                        + " message: denied}}}]}")));

    assertThat(report.state()).isEqualTo("Restarting");
    assertThat(report.arrived()).isEqualTo(1);
    assertThat(report.expected()).isEqualTo(3);
    assertThat(report.used()).isEqualTo(3);
    assertThat(report.missing())
        .containsExactly(
            new GroupReport.Missing("b", "still at attempt 1"),
            new GroupReport.Missing("c", "w: ErrImagePull, denied"));
  }

  @Test
  void pods_that_ended_or_were_never_made_are_missing_too() throws Exception {
    var report =
        GroupReport.of(
            jobSet("{}"),
            List.of(
                pod("a", "0", "{}"),
                pod("gone", "0", "{phase: Failed}"),
                pod(
                    "b",
                    "",
                    "{conditions: [{type: PodScheduled, status: \"False\", message: no room}]}")));

    assertThat(report.state()).isEqualTo("Starting");
    assertThat(report.missing())
        .extracting(GroupReport.Missing::why)
        .containsExactly("its Job has not made the pod", "not scheduled: no room");
  }

  @Test
  void who_has_done_his_part_or_is_not_due_yet_is_not_missing() throws Exception {
    var jobSet =
        yaml(
            """
            metadata: {name: train, namespace: ns}
            spec:
              failurePolicy: {maxRestarts: 3, restartStrategy: InPlaceRestart}
              replicatedJobs:
              - {name: prepare, replicas: 1, template: {spec: {parallelism: 2}}}
              - name: train
                replicas: 1
                template: {spec: {parallelism: 3}}
                dependsOn: [{name: prepare, status: Complete}]
            status: {currentInPlaceRestartAttempt: 0}
            """);

    var report =
        GroupReport.of(jobSet, List.of(pod("a", "0", "{}"), pod("b", "0", "{phase: Succeeded}")));

    assertThat(report.expected()).isEqualTo(2);
    assertThat(report.arrived()).isEqualTo(1);
    assertThat(report.missing()).isEmpty();
  }

  @Test
  void a_finished_jobset_misses_nobody() throws Exception {
    var report =
        GroupReport.of(
            jobSet(
                """
                {terminalState: Completed, currentInPlaceRestartAttempt: 1,
                  conditions: [{type: Completed, status: "True", reason: r, message: m}],
                  inPlaceRestarts: [{attempt: 1, startedAt: "2026-01-01T00:00:00Z",
                    liftedAt: "2026-01-01T00:00:01.500Z", pod: p, container: w, exitCode: 3,
                    reason: ContainerExited, counted: true}]}
                """),
            List.of());

    assertThat(report.missing()).isEmpty();
    assertThat(GroupText.lines(report, Instant.parse("2026-01-01T00:10:00Z")))
        .contains(
            "JobSet ns/train: Completed",
            "restart  to attempt 1, 10m ago: ContainerExited p w exit 3, took 1.50 s");
    assertThat(report.json().at("/restarts/0/exitCode").asInt()).isEqualTo(3);
    assertThat(GroupText.table(List.of(report)))
        .containsExactly(
            "NAMESPACE   NAME    STATE       ATTEMPT   AT BARRIER   BUDGET",
            "ns          train   Completed   1         0 of 3       0 of 3");
  }

  @Test
  void a_target_has_a_kind_and_a_name() throws Exception {
    assertThat(Target.of("jobset/a", "ns")).hasToString("jobset/a");
    assertThat(Target.of("po/b", "ns")).hasToString("pod/b");
    for (String wrong : List.of("a", "jobset/", "node/x", "/x")) {
      assertThatThrownBy(() -> Target.of(wrong, "ns"))
          .isInstanceOf(CliFailure.class)
          .hasMessageContaining("neither jobset/NAME nor pod/NAME");
    }
  }
}
