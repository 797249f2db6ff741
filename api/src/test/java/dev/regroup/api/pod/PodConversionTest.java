package dev.regroup.api.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.ProbeKind;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PodConversionTest {

  private static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");

  private static final String POD =
      """
      {"metadata":{"name":"p","namespace":"ns","uid":"u1","generation":3,
        "labels":{"jobset.sigs.k8s.io/jobset-name":"js"},
        "annotations":{"jobset.sigs.k8s.io/inject-in-place-restart-agent":"node"}},
       "spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":7,
        "initContainers":[
          {"name":"i","image":"a"},
          {"name":"s","image":"b","restartPolicy":"Always"}],
        "containers":[
          {"name":"m","image":"c","restartPolicy":"Never",
           "restartPolicyRules":[
             {"action":"RestartAllContainers","exitCodes":{"operator":"In","values":[42]},
              "keep":["s"],"terminationGracePeriodSeconds":5},
             {"action":"Complete","restartTimes":3}],
           "lifecycle":{"onCompletion":"TerminatePod","preStop":{"sleep":{"seconds":1}}},
           "livenessProbe":{"tcpSocket":{"port":1},"terminationGracePeriodSeconds":2},
           "resources":{"requests":{"cpu":"20m","nvidia.com/gpu":"1"},
                        "limits":{"memory":"32Mi"}},
           "volumeMounts":[{"name":"v","mountPath":"/v","readOnly":true}]}]}}
      """;

  private final Pod pod = Wire.read(Wire.tree(POD), Pod.class);

  @Test
  void a_spec_has_what_decisions_need() {
    var spec = PodSpecs.of(Wire.tree(POD));

    assertThat(spec.id().toString()).isEqualTo("p_ns(u1)");
    assertThat(spec.barrier()).isEqualTo(PodSpec.BarrierRole.NODE_AGENT);
    assertThat(spec.terminationGrace()).isEqualTo(Duration.ofSeconds(7));
    assertThat(spec.containers())
        .extracting(container -> container.kind())
        .containsExactly(ContainerKind.INIT, ContainerKind.SIDECAR, ContainerKind.REGULAR);
    var main = spec.containers().getLast();
    assertThat(main.ownPolicy()).isEqualTo(RestartPolicy.NEVER);
    assertThat(main.rules())
        .containsExactly(
            new ExitRule(
                ExitRule.Action.RESTART_ALL_CONTAINERS,
                new ExitRule.Condition.ExitCodes(ExitRule.Operator.IN, List.of(42)),
                List.of("s"),
                Duration.ofSeconds(5)),
            new ExitRule(
                ExitRule.Action.COMPLETE,
                new ExitRule.Condition.RestartTimes(3),
                List.of(),
                Duration.ZERO));
    assertThat(main.probes()).isEqualTo(Map.of(ProbeKind.LIVENESS, Duration.ofSeconds(2)));
  }

  @Test
  @DisplayName("TERM-02: the deletion began a grace before its time stamp")
  void a_deletion_is_read_from_the_metadata() {
    var metadata = Wire.object();
    var own = Duration.ofSeconds(20);

    assertThat(PodSpecs.deletion(metadata, own)).isEqualTo(Deletion.NONE);
    metadata.put("deletionTimestamp", "2026-01-02T12:00:30Z");
    assertThat(PodSpecs.deletion(metadata, own))
        .isEqualTo(new Deletion.Asked(NOON.plusSeconds(10), own));
    metadata.put("deletionGracePeriodSeconds", 30);
    assertThat(PodSpecs.deletion(metadata, own))
        .isEqualTo(new Deletion.Asked(NOON, Duration.ofSeconds(30)));
  }

  @Test
  @DisplayName("RAC-08: both forms of a request mean the same")
  void a_request_is_read_from_annotations_or_json() {
    var single =
        RestartRequests.of(
            Map.of(
                "regroup.dev/restart-request", "r1",
                "regroup.dev/restart-reason", "config",
                "regroup.dev/restart-grace", "4"));
    var json =
        RestartRequests.of(
            Map.of(
                "regroup.dev/restart-request",
                "{\"requestID\":\"r1\",\"reason\":\"config\",\"grace\":4}"));

    assertThat(single)
        .isEqualTo(new PodRestartRequest.Asked("r1", "config", Duration.ofSeconds(4), ""))
        .isEqualTo(json);
    assertThat(RestartRequests.of(Map.of("regroup.dev/restart-request", "{broken")))
        .isEqualTo(PodRestartRequest.NONE);
  }

  @Test
  @DisplayName("JS-167: the request of a group has the same two forms")
  void a_group_is_asked_as_a_pod_is() {
    var key = "regroup.dev/restart-request";
    var uncounted = "regroup.dev/restart-uncounted";
    var counted = new GroupRestartRequest("r1", "", true);
    var free = new GroupRestartRequest("r1", "", false);

    assertThat(RestartRequests.ofGroup(Map.of(key, " r1 "))).contains(counted);
    assertThat(RestartRequests.ofGroup(Map.of(key, "r1", uncounted, "true"))).contains(free);
    assertThat(RestartRequests.ofGroup(Map.of(key, "{\"requestID\":\"r1\"}"))).contains(counted);
    assertThat(RestartRequests.ofGroup(Map.of(key, "{\"requestID\":\"r1\",\"uncounted\":true}")))
        .contains(free);
    assertThat(RestartRequests.ofGroup(Map.of(key, "{broken"))).isEmpty();
    assertThat(RestartRequests.ofGroup(Map.of(key, "{\"reason\":\"x\"}"))).isEmpty();
    assertThat(RestartRequests.ofGroup(Map.of())).isEmpty();
  }

  @Test
  @DisplayName("DEC-05: a container that could not be started began at the beginning of time")
  void a_start_that_failed_has_the_times_that_runtimes_tell() {
    var refused =
        new ContainerState.Terminated(
            128, "StartError", "no such file", Instant.EPOCH, NOON, new ContainerId("ab"));

    var wire = StatusWriter.write(pod, status(refused, "ab"), new NodeAddition("", "", NOON));

    var ended = wire.at("/containerStatuses/0/state/terminated");
    assertThat(ended.path("startedAt").asText()).isEqualTo("1970-01-01T00:00:00Z");
  }

  @Test
  @DisplayName("STS-16: what the containers of a pod say at their end has one limit together")
  void long_messages_share_what_a_status_may_hold() {
    var talkative =
        new ContainerState.Terminated(
            0, "Completed", "x".repeat(13_000), NOON, NOON, new ContainerId("ab"));

    var wire = StatusWriter.write(pod, status(talkative, "ab"), new NodeAddition("", "", NOON));

    int containers =
        pod.getSpec().getContainers().size() + pod.getSpec().getInitContainers().size();
    assertThat(wire.at("/containerStatuses/0/state/terminated/message").asText())
        .hasSize(12 * 1024 / containers);
  }

  @Test
  @DisplayName("CND-10: the restart condition carries no observedGeneration; a status reads back")
  void a_status_has_the_fields_of_a_kubelet_and_reads_back() {
    var status = status(new ContainerState.Running(NOON), "ab");

    var wire = StatusWriter.write(pod, status, new NodeAddition("10.0.0.1", "10.1.0.2", NOON));

    assertThat(wire.at("/observedGeneration").asInt()).isEqualTo(3);
    assertThat(wire.at("/podIPs/0/ip").asText()).isEqualTo("10.1.0.2");
    assertThat(wire.at("/qosClass").asText()).isEqualTo("Burstable");
    assertThat(wire.at("/conditions/0/observedGeneration").asInt()).isEqualTo(3);
    assertThat(wire.at("/conditions/1").has("observedGeneration")).isFalse();
    assertThat(wire.at("/containerStatuses/0/containerID").asText()).isEqualTo("regroup://ab");
    assertThat(wire.at("/containerStatuses/0/allocatedResources"))
        .as("no node has the device")
        .hasToString("{\"cpu\":\"20m\"}");
    assertThat(wire.at("/containerStatuses/0/volumeMounts/0/recursiveReadOnly").asText())
        .isEqualTo("Disabled");
    var annotations = Wire.toTree(StatusReader.attemptAnnotations(status));
    assertThat(annotations.path("jobset.sigs.k8s.io/epoch").asText()).isEqualTo("6"); // JS-150
    assertThat(StatusReader.read(PodSpecs.of(Wire.tree(POD)), wire, annotations)).isEqualTo(status);
  }

  @Test
  @DisplayName("STS-10: the status of an ephemeral container repeats its mounts")
  void an_ephemeral_container_shows_its_mounts() {
    var tree = Wire.tree(POD);
    tree.withObject("/spec")
        .putArray("ephemeralContainers")
        .addObject()
        .put("name", "dbg")
        .putArray("volumeMounts")
        .addObject()
        .put("name", "v")
        .put("mountPath", "/v");
    var wire = Wire.object();

    new ContainerFields(Wire.read(tree, Pod.class)).add(wire, "dbg", true);

    assertThat(wire.at("/volumeMounts/0/mountPath").asText()).isEqualTo("/v");
  }

  @Test
  @DisplayName("IMM-03: a container that ended for good does not run again")
  void the_guard_lets_only_restartable_containers_leave_the_end() {
    var plain = Wire.tree(POD);
    plain
        .withArray("/spec/containers")
        .forEach(
            c -> ((com.fasterxml.jackson.databind.node.ObjectNode) c).remove("restartPolicyRules"));
    var without = PodSpecs.of(plain);
    var guard = new StatusGuard(Set.of(RuleGate.values()));
    var ended = status(terminated(42), "ab");
    var running = status(new ContainerState.Running(NOON), "cd");

    assertThat(guard.allows(without, PodRestartRequest.NONE, ended, running)).isFalse();
    assertThat(guard.allows(PodSpecs.of(Wire.tree(POD)), PodRestartRequest.NONE, ended, running))
        .isTrue();
    var asked = new PodRestartRequest.Asked("r", "", Duration.ZERO, "");
    assertThat(guard.allows(without, asked, ended, running)).isTrue();
    assertThat(guard.allows(without, PodRestartRequest.NONE, running, ended)).isTrue();
  }

  @Test
  @DisplayName("IMM-03, SEQ-25: under Always an init container runs again in a new sandbox")
  void the_guard_lets_a_pod_that_always_restarts_begin_anew() {
    var guard = new StatusGuard(Set.of(RuleGate.values()));
    var init = ContainerSpec.of("m", ContainerKind.INIT);
    var ended = status(terminated(0), "ab");
    var running = status(new ContainerState.Running(NOON), "cd");

    for (var policy : RestartPolicy.values()) {
      var spec = PodSpec.of(PodSpecs.of(Wire.tree(POD)).id(), policy, List.of(init));
      assertThat(guard.allows(spec, PodRestartRequest.NONE, ended, running))
          .as(policy.toString())
          .isEqualTo(policy == RestartPolicy.ALWAYS);
    }
  }

  private static ContainerState terminated(int code) {
    return new ContainerState.Terminated(code, "Error", "", NOON, NOON, new ContainerId("ab"));
  }

  private static PodStatus status(ContainerState state, String id) {
    return new PodStatus(
        Phase.RUNNING,
        "",
        "",
        List.of(
            new PodCondition(PodCondition.Type.READY, PodCondition.Status.TRUE, "", "", NOON),
            new PodCondition(
                PodCondition.Type.ALL_CONTAINERS_RESTARTING,
                PodCondition.Status.FALSE,
                "",
                "",
                NOON)),
        List.of(
            new ContainerStatus(
                "m",
                ContainerKind.REGULAR,
                state,
                ContainerState.NONE,
                1,
                true,
                true,
                new ContainerId(id),
                "c")),
        OptionalInt.of(5));
  }
}
