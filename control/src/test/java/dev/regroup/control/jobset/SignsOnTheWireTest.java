package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.control.pods.PodReader;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.Baseline;
import dev.regroup.rules.group.PodReading;
import dev.regroup.rules.group.PodSigns;
import dev.regroup.rules.group.Sign;
import java.time.Instant;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Signs of failure in pods as they come over the wire (JS-160), with the node as their agent and
 * with an agent beside the workers: the whole object is read, then judged.
 */
class SignsOnTheWireTest {

  private static final Set<RuleGate> GATES = EnumSet.allOf(RuleGate.class);
  private static final Instant LIFT = Instant.parse("2026-01-01T00:01:00Z");
  private static final String EARLIER = "2026-01-01T00:00:59Z";
  private static final String LATER = "2026-01-01T00:02:00Z";

  private static final String STOPPED =
      """
      {"terminated":{"exitCode":137,"reason":"RestartingAllContainers",
        "message":"Container worker exited with code 42, triggering pod restart",
        "startedAt":"2026-01-01T00:01:30Z","finishedAt":"2026-01-01T00:02:00Z"}}
      """;

  /** Two kinds of pod, each of a JobSet that runs attempt 1, with nothing wrong. */
  enum PodKind {
    NODE_AGENT(
        "node",
        "",
        """
        [{"name":"warm-up","restartCount":0,"ready":true,
          "state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]
        """),
    SIDECAR_AGENT(
        "sidecar",
        """
        ,{"name":"agent","image":"agent","restartPolicy":"Always",
          "restartPolicyRules":[{"action":"RestartAllContainers",
            "exitCodes":{"operator":"NotIn","values":[0]}}],
          "startupProbe":{"httpGet":{"path":"/barrier-is-down","port":8081},"periodSeconds":1,
            "failureThreshold":600}}
        """,
        """
        [{"name":"warm-up","restartCount":0,"ready":true,
          "state":{"terminated":{"exitCode":0,"reason":"Completed"}}},
         {"name":"agent","restartCount":0,"ready":true,"started":true,
          "state":{"running":{"startedAt":"2026-01-01T00:00:30Z"}}}]
        """);

    private final String json;

    PodKind(String kind, String agent, String initStatuses) {
      this.json =
          """
          {"apiVersion":"v1","kind":"Pod",
           "metadata":{"name":"a-w-0-1-x7x7x","namespace":"n","uid":"u1","resourceVersion":"77",
            "creationTimestamp":"2026-01-01T00:00:00Z",
            "labels":{"jobset.sigs.k8s.io/jobset-name":"a","job-name":"a-w-0"},
            "annotations":{"batch.kubernetes.io/job-completion-index":"1",
             "jobset.sigs.k8s.io/inject-in-place-restart-agent":"%s",
             "jobset.sigs.k8s.io/in-place-restart-attempt":"1"},
            "finalizers":["batch.kubernetes.io/job-tracking"],
            "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"a-w-0","uid":"j",
             "controller":true,"blockOwnerDeletion":true}]},
           "spec":{"restartPolicy":"Never","nodeName":"one",
            "initContainers":[{"name":"warm-up","image":"i"}%s],
            "containers":[
             {"name":"worker","image":"w","restartPolicy":"Never","restartPolicyRules":[
              {"action":"RestartAllContainers","exitCodes":{"operator":"NotIn","values":[0,3]}}]},
             {"name":"elastic","image":"w","restartPolicy":"Always","restartPolicyRules":[
              {"action":"RestartAllContainers","exitCodes":{"operator":"In","values":[42]}}]},
             {"name":"logs","image":"l","restartPolicy":"Always"}]},
           "status":{"phase":"Running",
            "conditions":[{"type":"Ready","status":"True",
              "lastTransitionTime":"2026-01-01T00:01:01Z"}],
            "initContainerStatuses":%s,
            "containerStatuses":[
             {"name":"worker","restartCount":0,"ready":true,"started":true,
              "state":{"running":{"startedAt":"2026-01-01T00:01:01Z"}}},
             {"name":"elastic","restartCount":0,"ready":true,"started":true,
              "state":{"running":{"startedAt":"2026-01-01T00:01:01Z"}}},
             {"name":"logs","restartCount":0,"ready":true,"started":true,
              "state":{"running":{"startedAt":"2026-01-01T00:01:01Z"}}}]}}
          """
              .formatted(kind, agent, initStatuses);
    }

    World pod() {
      return new World(Wire.tree(json));
    }
  }

  /** One pod, looked at by a group that runs attempt 1 since {@link #LIFT}. */
  private static final class World {
    final ObjectNode pod;
    PodSigns.NodeState node = PodSigns.NodeState.REACHABLE;
    Set<RuleGate> gates = GATES;
    Baseline baseline = Baseline.NONE;

    World(ObjectNode pod) {
      this.pod = pod;
    }

    ObjectNode status() {
      return (ObjectNode) pod.path("status");
    }

    World attempt(int attempt) {
      ((ObjectNode) pod.path("metadata").path("annotations"))
          .put("jobset.sigs.k8s.io/in-place-restart-attempt", String.valueOf(attempt));
      return this;
    }

    World condition(String type, String value, String message) {
      status()
          .withArrayProperty("conditions")
          .addObject()
          .put("type", type)
          .put("status", value)
          .put("message", message)
          .put("lastTransitionTime", LATER);
      return this;
    }

    ObjectNode container(String name) {
      for (var list : new String[] {"initContainerStatuses", "containerStatuses"}) {
        for (var status : status().path(list)) {
          if (status.path("name").asText().equals(name)) {
            return (ObjectNode) status;
          }
        }
      }
      throw new IllegalArgumentException(name);
    }

    /** The container is in state terminated. */
    World exited(String name, int code, String reason, String at) {
      container(name)
          .put("ready", false)
          .putObject("state")
          .putObject("terminated")
          .put("exitCode", code)
          .put("reason", reason)
          .put("finishedAt", at);
      return this;
    }

    /** The container runs again; this is how its last run ended. */
    World back(String name, int count, String last) {
      container(name).put("restartCount", count).set("lastState", Wire.tree(last));
      return this;
    }

    World waits(String name, String reason) {
      container(name).putObject("state").putObject("waiting").put("reason", reason);
      return this;
    }

    PodReading read() {
      var view = new PodReader(gates).read(pod);
      var now = new PodSigns.Situation(OptionalInt.of(1), LIFT, node, PodSigns.After.REPLACES_IT);
      var seen = PodSigns.read("a-w-0", view.group().orElseThrow(), view.job(), now, baseline);
      baseline = seen.baseline();
      return seen.reading();
    }

    @Nullable Sign sign() {
      return read().sign();
    }

    void shows(Sign.Kind kind) {
      assertThat(sign()).isNotNull();
      assertThat(sign().kind()).isEqualTo(kind);
      assertThat(sign().pod()).isEqualTo("a-w-0-1-x7x7x");
      assertThat(sign().container()).isEmpty();
    }

    void shows(Sign.Kind kind, String container, int code) {
      assertThat(sign()).isNotNull();
      assertThat(sign().kind()).isEqualTo(kind);
      assertThat(sign().container()).isEqualTo(container);
      assertThat(sign().exitCode()).hasValue(code);
    }
  }

  /** JS-156. */
  @ParameterizedTest
  @EnumSource
  void a_pod_that_runs_shows_nothing(PodKind kind) {
    var reading = kind.pod().read();

    assertThat(reading.sign()).isNull();
    assertThat(reading.past()).isNull();
    assertThat(reading.trouble()).isEmpty();
    assertThat(reading.runaway()).isZero();
    assertThat(reading.agentRunning()).isTrue();
    assertThat(reading.life()).isEqualTo(PodReading.Life.LIVE);
    assertThat(reading.completionIndex()).hasValue(1);
  }

  /** JS-160: a code that means a restart of all. */
  @ParameterizedTest
  @EnumSource
  void a_worker_that_exits_with_a_rule(PodKind kind) {
    kind.pod().exited("worker", 1, "Error", LATER).shows(Sign.Kind.WORKER_EXITED, "worker", 1);
  }

  /** JS-132d, JS-160: no rule matches, the policy is Never: the pod will fail. */
  @ParameterizedTest
  @EnumSource
  void a_worker_that_exits_without_a_rule(PodKind kind) {
    var pod = kind.pod().exited("worker", 3, "Error", LATER);

    pod.shows(Sign.Kind.WORKER_EXITED, "worker", 3);
    var view = new PodReader(GATES).read(pod.pod);
    assertThat(view.group().orElseThrow().foreseen(view.job()).terminal())
        .as("its Job is asked as if it had failed")
        .isTrue();
  }

  /** JS-160: exit code 0 of a worker, and whatever a helper does, is no failure. */
  @ParameterizedTest
  @EnumSource
  void a_worker_that_is_done_and_a_helper_that_is_not(PodKind kind) {
    var pod = kind.pod().exited("worker", 0, "Completed", LATER).exited("logs", 9, "Error", LATER);

    assertThat(pod.sign()).isNull();
  }

  /** JS-160: some code of it restarts all, this one only the container. */
  @ParameterizedTest
  @EnumSource
  void a_worker_whose_code_restarts_only_itself(PodKind kind) {
    assertThat(kind.pod().exited("elastic", 1, "Error", LATER).sign()).isNull();
    kind.pod().exited("elastic", 42, "Error", LATER).shows(Sign.Kind.WORKER_EXITED, "elastic", 42);
  }

  /** GATE-02, GATE-13: as on the node, where the rule has no effect then. */
  @ParameterizedTest
  @EnumSource
  void a_rule_whose_gate_is_off(PodKind kind) {
    var pod = kind.pod().exited("elastic", 42, "Error", LATER);
    pod.gates = EnumSet.complementOf(EnumSet.of(RuleGate.RESTART_ALL_CONTAINERS));

    assertThat(pod.sign()).isNull();
  }

  /** COND-03: the group reads every condition the node reads. */
  @ParameterizedTest
  @EnumSource
  void a_worker_that_ran_out_of_memory(PodKind kind) {
    var pod = kind.pod().exited("logs", 137, "OOMKilled", LATER);
    assertThat(pod.sign()).isNull();

    var logs = (ObjectNode) pod.pod.path("spec").path("containers").path(2);
    logs.putArray("restartPolicyRules")
        .addObject()
        .put("action", "RestartAllContainers")
        .putObject("oomKill");
    pod.shows(Sign.Kind.WORKER_EXITED, "logs", 137);
  }

  /** DEC-48: a liveness probe ends a worker; a rule answers as to any other end. */
  @ParameterizedTest
  @EnumSource
  void a_worker_killed_by_its_probe(PodKind kind) {
    kind.pod().exited("worker", 137, "Error", LATER).shows(Sign.Kind.WORKER_EXITED, "worker", 137);
  }

  /** JS-139: killed by its probe, or by itself, and started again in the same attempt. */
  @Test
  void a_worker_started_again_in_its_attempt() {
    var node = PodKind.NODE_AGENT.pod();
    assertThat(node.sign()).isNull();
    node.back("elastic", 1, "{\"terminated\":{\"exitCode\":137,\"reason\":\"Error\"}}");

    node.shows(Sign.Kind.RESTART_COUNT_ROSE, "elastic", 137);
    node.baseline = Baseline.NONE; // a new controller begins from what it sees (JS-142)
    assertThat(node.sign()).isNull();
  }

  /** JS-131, JS-138, AS-54: the startup probe or a crash ends the agent while workers run. */
  @Test
  void an_agent_that_exited() {
    var pod = PodKind.SIDECAR_AGENT.pod().exited("agent", 137, "Error", LATER);

    pod.shows(Sign.Kind.AGENT_EXITED, "agent", 137);
    pod.exited("worker", 0, "Completed", LATER).exited("elastic", 0, "Completed", LATER);
    assertThat(pod.sign()).as("at the end of a pod its agent is stopped").isNull();
  }

  /** JS-132, JS-160: main-container mode: the agent is the worker, every code but 0 counts. */
  @Test
  void an_agent_that_runs_the_worker_as_its_child() {
    var pod = PodKind.SIDECAR_AGENT.pod();
    var logs = (ObjectNode) pod.pod.path("spec").path("containers").path(2);
    logs.putArray("env").addObject().put("name", "WORKER_COMMAND").put("value", "train");

    pod.exited("logs", 9, "Error", LATER).shows(Sign.Kind.WORKER_EXITED, "logs", 9);
  }

  /** JS-136, JS-160: DisruptionTarget. */
  @ParameterizedTest
  @EnumSource
  void a_disrupted_pod(PodKind kind) {
    assertThat(kind.pod().condition("DisruptionTarget", "False", "").sign()).isNull();
    kind.pod().condition("DisruptionTarget", "True", "").shows(Sign.Kind.POD_DISRUPTED);
  }

  /** JS-136, AS-62. */
  @ParameterizedTest
  @EnumSource
  void a_pod_on_an_unreachable_node(PodKind kind) {
    var pod = kind.pod();
    pod.node = PodSigns.NodeState.UNREACHABLE;
    assertThat(pod.sign()).as("it is ready: nobody has said otherwise").isNull();

    ((ObjectNode) pod.status().path("conditions").path(0)).put("status", "False");
    pod.shows(Sign.Kind.NODE_UNREACHABLE);
  }

  /** JS-135, AS-47. */
  @ParameterizedTest
  @EnumSource
  void a_deleted_pod(PodKind kind) {
    var pod = kind.pod();
    ((ObjectNode) pod.pod.path("metadata"))
        .put("deletionTimestamp", "2026-01-01T00:02:30Z")
        .put("deletionGracePeriodSeconds", 30);

    pod.shows(Sign.Kind.POD_DELETED);
    assertThat(pod.sign()).extracting(Sign::at).isEqualTo(Instant.parse(LATER));
    assertThat(pod.read().life()).isEqualTo(PodReading.Life.DEAD);
  }

  /** JS-160. */
  @ParameterizedTest
  @EnumSource
  void a_failed_pod(PodKind kind) {
    var pod = kind.pod().exited("worker", 3, "Error", LATER);
    pod.status().put("phase", "Failed");

    pod.shows(Sign.Kind.POD_FAILED, "worker", 3);
  }

  /** JS-160, CND-11: the node names who it was; a draft's condition is read as equal. */
  @ParameterizedTest
  @EnumSource
  void a_restart_of_all_containers_under_way(PodKind kind) {
    for (var type : new String[] {"AllContainersRestarting", "PodRestartInPlace"}) {
      kind.pod()
          .exited("worker", 42, "Error", LATER)
          .exited("logs", 137, "RestartingAllContainers", LATER)
          .condition(type, "True", "Container worker exited with code 42, triggering pod restart")
          .shows(Sign.Kind.ALL_CONTAINERS_RESTARTING, "worker", 42);
    }
  }

  /** JS-123: another node gives no name; who ended first is it. */
  @ParameterizedTest
  @EnumSource
  void a_restart_of_all_containers_on_another_node(PodKind kind) {
    kind.pod()
        .exited("elastic", 42, "Error", LATER)
        .condition("AllContainersRestarting", "True", "")
        .shows(Sign.Kind.ALL_CONTAINERS_RESTARTING, "elastic", 42);
  }

  /** JS-165a: told to, it blames nobody. */
  @Test
  void a_restart_that_the_group_ordered() {
    PodKind.NODE_AGENT
        .pod()
        .condition(
            "AllContainersRestarting", "True", "Pod is at attempt 1, the group moves on to 2")
        .shows(Sign.Kind.ALL_CONTAINERS_RESTARTING);
  }

  /** JS-160: back at the next attempt before anybody saw it fail. */
  @ParameterizedTest
  @EnumSource
  void a_pod_that_came_back_before_anybody_saw_it(PodKind kind) {
    var pod =
        kind.pod()
            .attempt(2)
            .back("logs", 1, STOPPED)
            .back(
                "worker",
                1,
                """
                {"terminated":{"exitCode":42,"reason":"RestartingAllContainers",
                  "message":"Container worker exited with code 42, triggering pod restart",
                  "finishedAt":"2026-01-01T00:02:00Z"}}
                """);

    var reading = pod.read();

    assertThat(reading.sign()).isNull();
    assertThat(reading.past())
        .isEqualTo(
            Sign.of(Sign.Kind.ALL_CONTAINERS_RESTARTING, "a-w-0-1-x7x7x", "worker", 42)
                .since(Instant.parse(LATER)));
  }

  /** RAC-54: removed, and held by back-off; the attempt it reports is the one it has left. */
  @Test
  void a_pod_between_two_attempts() {
    var pod = PodKind.NODE_AGENT.pod();
    for (var name : new String[] {"worker", "elastic", "logs"}) {
      pod.back(name, 1, STOPPED).waits(name, "CrashLoopBackOff");
    }

    pod.shows(Sign.Kind.ALL_CONTAINERS_RESTARTING, "worker", 42);
    assertThat(pod.read().trouble())
        .isEqualTo("CrashLoopBackOff (container worker exited with code 42)");
  }

  /** JS-139: status and attempt of another agent's pod are two writes; times tell them apart. */
  @Test
  void what_was_before_the_lift_is_news_only_of_the_nodes_own_pods() {
    PodKind.NODE_AGENT
        .pod()
        .exited("worker", 1, "Error", EARLIER)
        .shows(Sign.Kind.WORKER_EXITED, "worker", 1);
    assertThat(PodKind.SIDECAR_AGENT.pod().exited("worker", 1, "Error", EARLIER).sign()).isNull();
  }

  /** JS-145, AS-55. */
  @ParameterizedTest
  @EnumSource
  void an_init_container_that_fails_again_and_again(PodKind kind) {
    var pod = kind.pod();
    ((ObjectNode) pod.pod.path("metadata")).remove("annotations");
    pod.read();
    pod.back("warm-up", 4, "{\"terminated\":{\"exitCode\":1,\"reason\":\"Error\"}}")
        .waits("warm-up", "CrashLoopBackOff");

    assertThat(pod.read().runaway()).isEqualTo(4);
    assertThat(pod.read().trouble())
        .isEqualTo("CrashLoopBackOff (container warm-up exited with code 1)");
  }
}
