package dev.regroup.cli.cluster;

import static dev.regroup.cli.cluster.BareCluster.NAMESPACE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.rules.node.NodeLossSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The controller against a Kubernetes API that gives it the rights of its role and no more. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(240)
class ClusterControllerIT {

  private static final String JOB_SETS =
      "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String EVENTS = "/api/v1/namespaces/default/events";

  private static final String TRAINING =
      """
      apiVersion: jobset.x-k8s.io/v1alpha2
      kind: JobSet
      metadata: {name: train}
      spec:
        failurePolicy: {maxRestarts: 3, restartStrategy: InPlaceRestart}
        replicatedJobs:
        - name: w
          template:
            spec:
              parallelism: 2
              template:
                spec:
                  containers:
                  - {name: worker, image: x, command: [train]}
      """;

  @TempDir Path folder;
  private BareCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = new BareCluster(folder);
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private ClusterController controller(ControllerSettings.Accounts accounts) throws Exception {
    return cluster.controller(cluster.settings().with(accounts));
  }

  private static boolean isAt(JsonNode jobSet, int attempt) {
    return jobSet.at("/status/currentInPlaceRestartAttempt").asInt(-1) == attempt;
  }

  /** As agents do: writes this attempt onto every pod. */
  private void arrive(int attempt) throws Exception {
    for (var pod : cluster.await(PODS, list -> list.path("items").size() == 2).path("items")) {
      write(pod.at("/metadata/name").asText(), attempt);
    }
  }

  private void write(String pod, int attempt) throws Exception {
    cluster.patch(
        PODS + "/" + pod,
        "{\"metadata\":{\"annotations\":{\"jobset.sigs.k8s.io/in-place-restart-attempt\":\"%d\"}}}"
            .formatted(attempt));
  }

  /** JS-149e, JS-41, JS-43, JS-132b. */
  @Test
  void a_group_restarts_with_the_rights_of_the_role_and_no_others() throws Exception {
    cluster.install("agentAccounts", "manual");
    try (var _ = controller(ControllerSettings.Accounts.ELSEWHERE)) {
      cluster.post(
          "/api/v1/namespaces/default/serviceaccounts",
          "{apiVersion: v1, kind: ServiceAccount, metadata: {name: jobset-in-place-restart}}");
      var made = cluster.post(JOB_SETS, TRAINING);
      arrive(0);
      cluster.await(JOB_SETS + "/train", jobSet -> isAt(jobSet, 0));

      var ahead = cluster.get(PODS).at("/items/0/metadata/name").asText();
      write(ahead, 1);
      cluster.await(
          JOB_SETS + "/train",
          jobSet -> jobSet.at("/status/previousInPlaceRestartAttempt").asInt(-1) == 0);
      arrive(1);
      var jobSet = cluster.await(JOB_SETS + "/train", now -> isAt(now, 1));

      assertThat(made.at("/spec/replicatedJobs/0/template/spec/podReplacementPolicy").asText())
          .as("filled in by the webhook")
          .isEqualTo("Failed");
      assertThat(jobSet.at("/status/inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
      assertThat(jobSet.at("/status/syncedEpoch").asInt()).isEqualTo(2);
      cluster.await(EVENTS, events -> events.toString().contains("InPlaceRestartCompleted"));
      assertThat(cluster.refusals()).as("nothing more than the role is needed").isEmpty();
    }
  }

  /** JS-132b, JS-149c. */
  @Test
  void agents_get_their_account_where_the_controller_may_make_it() throws Exception {
    cluster.install();
    try (var _ = controller(ControllerSettings.Accounts.CONTROLLER)) {
      cluster.post(JOB_SETS, TRAINING);

      var pods = cluster.await(PODS, list -> list.path("items").size() == 2);

      var pod = pods.at("/items/0");
      assertThat(pod.at("/spec/serviceAccountName").asText()).isEqualTo("jobset-in-place-restart");
      assertThat(pod.at("/spec/initContainers/0/image").asText()).isEqualTo(AgentSettings.IMAGE);
      assertThat(
              cluster
                  .get(
                      "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings"
                          + "/jobset-in-place-restart")
                  .at("/roleRef/name")
                  .asText())
          .isEqualTo("regroup-in-place-restart-agent");
      assertThat(cluster.refusals()).isEmpty();
    }
  }

  /** JS-132b: nobody names an agent; what the nodes can do is known to the lease, too. */
  @Test
  void the_kind_of_agent_follows_from_what_the_nodes_can_do() throws Exception {
    cluster.install();
    node("new", "{\"declaredFeatures\": [\"RestartAllContainersOnContainerExits\"]}");
    try (var _ = controller(ControllerSettings.Accounts.CONTROLLER)) {
      awaitAbilities("\"nodes\":1,\"nodesThatRestartAllContainers\":1,\"agentKind\":\"sidecar\"");
      cluster.post(JOB_SETS, TRAINING);
      assertThat(kinds("train")).containsOnly("sidecar");

      node("old", "{}");
      awaitAbilities("\"nodes\":2,\"nodesThatRestartAllContainers\":1,\"agentKind\":\"process\"");
      cluster.post(JOB_SETS, TRAINING.replace("name: train", "name: later"));
      assertThat(kinds("later")).containsOnly("process");
    }
  }

  private void node(String name, String status) throws Exception {
    cluster.post(
        "/api/v1/nodes", "{apiVersion: v1, kind: Node, metadata: {name: %s}}".formatted(name));
    cluster.patch("/api/v1/nodes/" + name + "/status", "{\"status\": " + status + "}");
  }

  private void awaitAbilities(String words) throws Exception {
    cluster.await(
        "/apis/coordination.k8s.io/v1/namespaces/%s/leases/regroup-controller".formatted(NAMESPACE),
        lease -> lease.at("/metadata/annotations/regroup.dev~1abilities").asText().contains(words));
  }

  /** Of the agents of its two pods. */
  private List<String> kinds(String jobSet) throws Exception {
    var all = cluster.await(PODS, list -> kinds(list, jobSet).size() == 2);
    return kinds(all, jobSet);
  }

  private static List<String> kinds(JsonNode pods, String jobSet) {
    var kinds = new ArrayList<String>();
    for (JsonNode pod : pods.path("items")) {
      if (pod.at("/metadata/labels/jobset.sigs.k8s.io~1jobset-name").asText().equals(jobSet)) {
        kinds.add(
            pod.at("/metadata/annotations/jobset.sigs.k8s.io~1inject-in-place-restart-agent")
                .asText());
      }
    }
    return kinds;
  }

  @Test
  void without_the_right_to_make_it_the_jobset_says_what_to_do() throws Exception {
    cluster.install("agentAccounts", "manual");
    try (var _ = controller(ControllerSettings.Accounts.CONTROLLER)) {
      cluster.post(JOB_SETS, TRAINING);

      var events = cluster.await(EVENTS, list -> list.toString().contains("AgentAccountMissing"));

      assertThat(events.toString()).contains("regroup install --namespace-agents default");
    }
  }

  /** JS-43, JS-70. */
  @Test
  void what_is_wrong_is_refused_in_the_words_of_jobsets_webhook() throws Exception {
    cluster.install();
    try (var _ = controller(ControllerSettings.Accounts.CONTROLLER)) {
      var refused =
          cluster.tryPost(JOB_SETS, TRAINING.replace("parallelism: 2", "backoffLimit: 3"));

      assertThat(refused.status()).isEqualTo(422);
      assertThat(new String(refused.body(), UTF_8))
          .contains("admission webhook \\\"vjobset.kb.io\\\" denied the request: JobSet.jobset")
          .contains("must be set to 2147483647 (MaxInt32) when in-place restart is enabled")
          .doesNotContain("denied the request: admission webhook");
    }
  }

  /** JS-171. */
  @Test
  void ready_is_who_answers_reviews_and_the_lease_is_given_back() throws Exception {
    cluster.install();
    try (var controller = controller(ControllerSettings.Accounts.CONTROLLER);
        var http = HttpClient.newHttpClient()) {
      var ready = URI.create("http://127.0.0.1:%d/readyz".formatted(controller.healthPort()));
      long end = System.nanoTime() + BareCluster.LIMIT.toNanos();
      HttpResponse<String> answer;
      do {
        answer =
            http.send(HttpRequest.newBuilder(ready).build(), HttpResponse.BodyHandlers.ofString());
      } while (answer.statusCode() != 200 && System.nanoTime() < end);

      assertThat(answer.body()).isEqualTo("ok\n");
      var lease =
          cluster.await(
              "/apis/coordination.k8s.io/v1/namespaces/%s/leases/regroup-controller"
                  .formatted(NAMESPACE),
              found -> found.at("/spec/holderIdentity").asText().equals("me"));
      assertThat(lease.at("/spec/leaseDurationSeconds").asInt()).isEqualTo(15);
    }
    assertThat(
            cluster
                .get(
                    "/apis/coordination.k8s.io/v1/namespaces/%s/leases/regroup-controller"
                        .formatted(NAMESPACE))
                .at("/spec/holderIdentity")
                .asText())
        .isEmpty();
  }

  /** JS-136: as locally, for groups only. */
  @Test
  void pods_of_an_unreachable_node_fail_when_the_user_says_so() throws Exception {
    cluster.install("podForceFailAfter", "1s");
    var loss =
        new NodeLossSettings(
            Duration.ofSeconds(50),
            Optional.of(Duration.ofSeconds(1)),
            NodeLossSettings.Groups.RESTART);
    try (var _ = cluster.controller(cluster.settings().with(loss))) {
      cluster.post("/api/v1/nodes", "{apiVersion: v1, kind: Node, metadata: {name: lost}}");
      cluster.post(
          PODS,
          """
          apiVersion: v1
          kind: Pod
          metadata: {name: stranger}
          spec: {nodeName: lost, containers: [{name: c, image: x}]}
          """);
      cluster.post(
          JOB_SETS,
          TRAINING.replace(
              "            containers:\n",
              "            nodeName: lost\n            containers:\n"));
      cluster.await(PODS, list -> list.path("items").size() == 3);

      cluster.patch(
          "/api/v1/nodes/lost",
          """
          {"spec": {"taints": [
            {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"},
            {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]}}
          """);

      cluster.await(
          EVENTS, list -> list.toString().contains("Node lost which was running pod train-w-0-"));
      var stranger = cluster.get(PODS + "/stranger");
      assertThat(stranger.at("/status/phase").asText()).isEqualTo("Pending");
      assertThat(cluster.refusals()).isEmpty();
    }
  }

  /** JS-91b, AS-39. */
  @Test
  void followers_go_where_their_leader_is_when_its_domain_changes() throws Exception {
    cluster.install();
    try (var _ = controller(ControllerSettings.Accounts.CONTROLLER)) {
      for (String node : List.of("n1", "n2")) {
        cluster.post(
            "/api/v1/nodes",
            "{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {rack: r1}}}"
                .formatted(node));
        // nobody looks after nodes here
        cluster.patch("/api/v1/nodes/" + node, "{\"spec\":{\"taints\":null}}");
      }
      cluster.post(
          JOB_SETS,
          """
          apiVersion: jobset.x-k8s.io/v1alpha2
          kind: JobSet
          metadata:
            name: racks
            annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}
          spec:
            replicatedJobs:
            - name: w
              template:
                spec:
                  parallelism: 3
                  completions: 3
                  template: {spec: {containers: [{name: c, image: x}]}}
          """);
      var placed = cluster.await(PODS, list -> placed(list.path("items")) == 3).path("items");
      assertThat(placed)
          .filteredOn(pod -> !isLeader(pod))
          .allMatch(pod -> pod.at("/spec/nodeSelector/rack").asText().equals("r1"));
      var leader = leader(placed);

      cluster.patch(
          "/api/v1/nodes/" + leader.at("/spec/nodeName").asText(),
          "{\"metadata\":{\"labels\":{\"rack\":\"r2\"}}}");

      var after = cluster.await(PODS, list -> sentAway(list.path("items")) == 2);
      assertThat(leader(after.path("items")).path("metadata").has("deletionTimestamp")).isFalse();
      assertThat(leader(after.path("items")).at("/metadata/uid"))
          .isEqualTo(leader.at("/metadata/uid"));
      cluster.await(EVENTS, list -> list.toString().contains("ExclusivePlacementViolation"));
      assertThat(cluster.refusals()).as("nothing more than the role is needed").isEmpty();
    }
  }

  private static long placed(JsonNode pods) {
    long count = 0;
    for (JsonNode pod : pods) {
      count += pod.at("/spec/nodeName").asText().isEmpty() ? 0 : 1;
    }
    return count;
  }

  private static boolean isLeader(JsonNode pod) {
    return pod.at("/metadata/annotations/batch.kubernetes.io~1job-completion-index")
        .asText()
        .equals("0");
  }

  private static JsonNode leader(JsonNode pods) {
    for (JsonNode pod : pods) {
      if (isLeader(pod)) {
        return pod;
      }
    }
    throw new AssertionError("nobody leads: " + pods);
  }

  private static long sentAway(JsonNode pods) {
    long count = 0;
    for (JsonNode pod : pods) {
      boolean told = false;
      for (JsonNode condition : pod.at("/status/conditions")) {
        told |=
            condition.path("type").asText().equals("DisruptionTarget")
                && condition.path("reason").asText().equals("ExclusivePlacementViolation");
      }
      count += told && pod.path("metadata").has("deletionTimestamp") ? 1 : 0;
    }
    return count;
  }
}
