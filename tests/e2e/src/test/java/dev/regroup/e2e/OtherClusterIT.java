package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.e2e.replay.Askers;
import dev.regroup.e2e.replay.Recordings;
import dev.regroup.testing.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Regroup on a cluster that knows no JobSets: installed as a user installs it, the controller in a
 * process of its own, its webhooks by URL. The commands are those of docs/cluster.md.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OtherClusterIT {

  private static final Path PAGE = Path.of("../../docs/cluster.md");
  private static final Pattern COMMAND = Pattern.compile("(?m)^```\\n(regroup .*)\\n```$");
  private static final Pattern MENTIONED = Pattern.compile("`(regroup [a-z]+ [^`]+)`");
  private static final Duration START = Duration.ofSeconds(120);
  private static final int SIDE_BY_SIDE = 8;
  private static final String LEASES =
      "/apis/coordination.k8s.io/v1/namespaces/regroup-system/leases";
  private static final List<String> GATES =
      List.of(
          "--gates=upstream",
          "--feature-gates=InPlaceRestart=true,RestartJob=true,ElasticJobSet=true");

  /**
   * An agent of few lines: reads the orders and writes the attempt as the released agent does, with
   * rights to patch pods and not to read them. It leaves with the restart code when told to, and a
   * file is the barrier; one of its own container, because in a volume of the pod it would be there
   * before the next agent could remove it, and let the worker of the last attempt through.
   */
  private static final String AGENT =
      """
      order() { kubectl get jobset "$JOBSET_NAME" -o "jsonpath={.status.$1InPlaceRestartAttempt}"; }
      while ! current=$(order current); do :; done
      attempt=$((${current:--1} + 1))
      cat >/tmp/attempt.yaml <<END
      apiVersion: v1
      kind: Pod
      metadata:
        name: $POD_NAME
        annotations: {jobset.sigs.k8s.io/in-place-restart-attempt: "$attempt"}
      END
      while ! kubectl apply --server-side --force-conflicts --validate=false \
          --field-manager=in-place-restart-agent -f /tmp/attempt.yaml; do :; done
      while :; do
        previous=$(order previous); current=$(order current)
        [ "${previous:--1}" -lt "$attempt" ] || exit 1
        [ "${current:--1}" != "$attempt" ] || { echo $attempt >/shared/attempt; touch /tmp/lifted; }
        sleep 0.2
      done
      """;

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Program controller;
  private static Program leader; // a second replica, which leads first
  private static Recordings recordings;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    Kubectl.require();
    port = FreePort.next();
    var options = new ArrayList<>(GATES);
    options.add("--jobset=off");
    cluster = Cluster.up(folder, options.toArray(String[]::new));
    run(documented("regroup install"), "--webhook-url", "https://127.0.0.1:" + port);
    leader = replica(FreePort.next());
    awaitHolder("");
    controller = replica(port);
    awaitTrust();
    var askers = new Askers(cluster.kube().transport(), cluster.kube().nobody());
    recordings = new Recordings(askers, SIDE_BY_SIDE, Recordings.Listed.MAY_DIFFER);
  }

  /** A controller in a process of its own; a busy machine must not cost the leader its lease. */
  private static Program replica(int webhookPort) throws Exception {
    var config =
        Files.writeString(
            folder.resolve("controller.yaml"),
            """
            apiVersion: config.jobset.x-k8s.io/v1alpha1
            kind: Configuration
            leaderElection: {leaseDuration: 15s, renewDeadline: 10s, retryPeriod: 500ms}
            """);
    var arguments = new ArrayList<>(List.of("controller", "--config", config.toString()));
    arguments.addAll(GATES);
    arguments.addAll(
        List.of(
            "--kubeconfig",
            cluster.kubeconfig().toString(),
            "--webhook-bind-address",
            "127.0.0.1:" + webhookPort,
            "--webhook-name",
            "127.0.0.1",
            "--metrics-bind-address",
            "0",
            "--health-probe-bind-address",
            "127.0.0.1:0",
            "--agent-kind",
            "sidecar"));
    var program = Program.start(Map.of(), arguments);
    program.awaitLine(line -> line.contains("certificate is good until"), START);
    return program;
  }

  /** Somebody else than {@code other} leads. */
  private static String awaitHolder(String other) throws Exception {
    return holder(
        cluster
            .kube()
            .awaitOne(
                LEASES,
                "regroup-controller",
                lease -> !holder(lease).isEmpty() && !holder(lease).equals(other),
                START));
  }

  private static String holder(JsonNode lease) {
    return lease.at("/spec/holderIdentity").asText();
  }

  @AfterAll
  static void stop() throws Exception {
    if (recordings != null) {
      recordings.close();
    }
    for (var replica : Arrays.asList(leader, controller)) {
      if (replica != null) {
        replica.close();
      }
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  /** The recordings of JobSet's own controller, as on the local cluster. */
  @Order(1)
  @TestFactory
  Stream<DynamicTest> every_step_answers_as_recorded() throws IOException {
    return recordings.of("jobset", _ -> true);
  }

  /** AS-42, AS-69, JS-149c, JS-149d: real processes, an agent with the rights of its account. */
  @Order(2)
  @Test
  void one_worker_dies_and_the_group_restarts_in_place() throws Exception {
    var kube = cluster.kube();
    var created = kube.create(JOB_SETS, training());
    var before = awaitRunning(0);

    var victim = before.keySet().iterator().next();
    Files.createFile(folder.resolve("die-0-" + index(before.get(victim))));
    var after = awaitRunning(1);

    assertThat(uids(after)).isEqualTo(uids(before));
    assertThat(after.values())
        .allSatisfy(pod -> {
          assertThat(pod.at("/spec/serviceAccountName").asText())
              .isEqualTo("jobset-in-place-restart");
          assertThat(pod.at("/status/containerStatuses/0/restartCount").asInt()).isEqualTo(1);
        });
    assertThat(Signal.in(Signal.history(kube, "train", created)).stream().map(Signal::text))
        .as("one write to start, two for the restart")
        .containsExactly("-/0", "0/0", "0/1");
    assertThat(status("jobset/train")).contains("attempt  1, 2 of 2", "budget   1 of 3");
  }

  /** JS-142: the leader is killed with the order written or not; the other replica goes on. */
  @Order(3)
  @Test
  void the_other_replica_goes_on_when_the_leader_is_killed() throws Exception {
    var kube = cluster.kube();
    var from = kube.get(JOB_SETS + "/train");
    String first = awaitHolder("");
    var before = awaitRunning(1);

    Files.createFile(folder.resolve("die-1-1"));
    leader.kill();
    awaitHolder(first);
    var after = awaitRunning(2);

    assertThat(uids(after)).isEqualTo(uids(before));
    assertThat(Signal.in(Signal.history(kube, "train", from)).stream().map(Signal::text))
        .as("two writes, whoever wrote them")
        .containsExactly("1/1", "1/2");
    assertThat(status("jobset/train")).contains("attempt  2, 2 of 2", "budget   2 of 3");
  }

  /** JS-167. */
  @Order(4)
  @Test
  void a_restart_on_demand_is_waited_for() throws Exception {
    try (var restart =
        regroup(
            "restart", "jobset/train", "--uncounted", "--reason", "new data", "--timeout", "60s")) {
      assertThat(restart.awaitExit(START)).as(restart.output()).isZero();
      assertThat(restart.output()).contains("jobset/train runs at attempt 3");
    }
    awaitRunning(3);

    assertThat(status("jobset/train")).contains("budget   2 of 3", "Requested", "not counted");
    cluster
        .kube()
        .watchUntil(
            "/api/v1/namespaces/default/events",
            "",
            events ->
                events
                    .getLast()
                    .at("/object/message")
                    .asText()
                    .equals("in-place restart to attempt 3 (Requested: new data)"),
            START);
    try (var missing = regroup("restart", "jobset/nobody")) {
      assertThat(missing.awaitExit(START)).isEqualTo(3);
    }
  }

  @Order(5)
  @Test
  void the_cluster_says_what_it_can_do() throws Exception {
    try (var shown = program(documented("regroup status"))) {
      assertThat(shown.awaitExit(START)).as(shown.output()).isZero();
      assertThat(shown.output())
          .contains("1 of 1 nodes restart all containers", "agents are of kind sidecar")
          .containsPattern("default +train +Running +3 +2 of 2");
    }
  }

  /** Commands with arguments in the text; those in blocks are run above and below. */
  @Order(6)
  @Test
  void every_command_of_the_pages_runs() throws Exception {
    var kube = cluster.kube();
    for (var team : List.of("team-a", "team-b")) {
      kube.create("/api/v1/namespaces", "{metadata: {name: %s}}".formatted(team));
    }
    var commands = new TreeSet<String>();
    for (var page : List.of(PAGE, PAGE.resolveSibling("agents.md"))) {
      MENTIONED
          .matcher(Files.readString(page))
          .results()
          .forEach(one -> commands.add(one.group(1)));
    }
    assertThat(commands).hasSizeGreaterThan(5);

    for (var command : commands) {
      var words =
          new ArrayList<>(
              List.of(
                  command
                      .replace("NAME", "train")
                      .replace("FILE", "../../examples/training.yaml")
                      .split(" ", -1)));
      words.removeFirst();
      switch (words.getFirst()) {
        case "image" -> {
          continue; // AgentImageIT and tests/cluster
        }
        case "check" -> {} // asks no cluster
        default -> words.addAll(List.of("--kubeconfig", cluster.kubeconfig().toString()));
      }
      if (words.getFirst().equals("install")) {
        words.addAll(List.of("--webhook-url", "https://127.0.0.1:" + port));
      }
      try (var program = Program.start(Map.of(), words)) {
        assertThat(program.awaitExit(START))
            .as("%s%n%s", command, program.output())
            .isLessThan(words.getFirst().equals("check") ? 2 : 1);
      }
    }
  }

  @Order(7)
  @Test
  void what_was_installed_goes_and_what_users_made_stays() throws Exception {
    controller.close();

    run(documented("regroup uninstall"));

    var kube = cluster.kube();
    assertThat(kube.get(JOB_SETS + "/train").path("kind").asText()).isEqualTo("JobSet");
    for (var path :
        List.of(
            "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
            "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
            "/apis/rbac.authorization.k8s.io/v1/rolebindings",
            "/api/v1/serviceaccounts",
            "/api/v1/secrets")) {
      assertThat(kube.list(path, "labelSelector=app.kubernetes.io/part-of%3Dregroup"))
          .as(path)
          .isEmpty();
    }
    run(List.of("regroup", "uninstall", "--purge", "--yes"));
    var definition =
        kube.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/jobsets.jobset.x-k8s.io");
    boolean gone = definition.path("code").asInt() == 404;
    assertThat(gone || definition.path("metadata").has("deletionTimestamp"))
        .as("gone or going: %s", definition.path("metadata"))
        .isTrue();
  }

  private static String training() {
    return """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata:
      name: train
      annotations: {jobset.sigs.k8s.io/inject-in-place-restart-agent: present}
    spec:
      failurePolicy: {maxRestarts: 3, restartStrategy: InPlaceRestart}
      replicatedJobs:
      - name: w
        template:
          spec:
            completions: 2
            parallelism: 2
            backoffLimit: 2147483647
            podReplacementPolicy: Failed
            template:
              spec:
                serviceAccountName: jobset-in-place-restart
                volumes: [{name: shared, emptyDir: {}}, {name: told, hostPath: {path: %3$s}}]
                initContainers:
                - name: agent
                  image: host
                  restartPolicy: Always
                  restartPolicyRules:
                  - {action: RestartAllContainers, exitCodes: {operator: NotIn, values: [0]}}
                  startupProbe:
                    exec: {command: [test, -e, /tmp/lifted]}
                    periodSeconds: 1
                    failureThreshold: 600
                  command: [sh, -c, %1$s]
                  env:
                  - {name: HOME, value: /shared}
                  - {name: JOBSET_NAME, value: train}
                  - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                  volumeMounts: [{name: shared, mountPath: /shared}]
                containers:
                - name: worker
                  image: host
                  restartPolicy: Never
                  restartPolicyRules:
                  - {action: RestartAllContainers, exitCodes: {operator: NotIn, values: [0]}}
                  command: [sh, -c, %2$s]
                  volumeMounts:
                  - {name: shared, mountPath: /shared}
                  - {name: told, mountPath: /told}
    """
        .formatted(
            quoted(AGENT),
            quoted(
                "a=$(cat /shared/attempt)\n"
                    + "while ! [ -e /told/die-$a-$JOB_COMPLETION_INDEX ]; do sleep 0.1; done\n"
                    + "exit 1"),
            folder);
  }

  private static String quoted(String script) {
    return Kube.JSON.valueToTree(script).toString();
  }

  private static String index(JsonNode pod) {
    return pod.at("/metadata/annotations/batch.kubernetes.io~1job-completion-index").asText();
  }

  /** Both workers run at this attempt. */
  private static Map<String, JsonNode> awaitRunning(int attempt) throws Exception {
    var pods = new HashMap<String, JsonNode>();
    cluster
        .kube()
        .watchUntil(
            PODS,
            "labelSelector=jobset.sigs.k8s.io/jobset-name%3Dtrain",
            events -> {
              var pod = events.getLast().path("object");
              pods.put(pod.at("/metadata/name").asText(), pod);
              return pods.size() == 2
                  && pods.values().stream()
                      .allMatch(one ->
                          one.at(
                                          "/metadata/annotations/jobset.sigs.k8s.io~1in-place-restart-attempt")
                                      .asInt(-1)
                                  == attempt
                              && one.at("/status/containerStatuses/0/state").has("running"));
            },
            Duration.ofSeconds(120));
    return pods;
  }

  private static List<String> uids(Map<String, JsonNode> pods) {
    return pods.values().stream().map(pod -> pod.at("/metadata/uid").asText()).sorted().toList();
  }

  private static String status(String target) throws Exception {
    try (var shown = regroup("status", target)) {
      assertThat(shown.awaitExit(START)).as(shown.output()).isZero();
      return shown.output();
    }
  }

  /** The command of this beginning, as the page has it. */
  private static List<String> documented(String start) throws IOException {
    return COMMAND
        .matcher(Files.readString(PAGE))
        .results()
        .map(found -> found.group(1))
        .filter(command -> command.startsWith(start))
        .findFirst()
        .map(command -> List.of(command.split(" ", -1)))
        .orElseThrow(() -> new AssertionError(PAGE + " has no command: " + start));
  }

  private static void run(List<String> command, String... more) throws Exception {
    try (var program = program(command, more)) {
      assertThat(program.awaitExit(START)).as(program.output()).isZero();
    }
  }

  private static Program regroup(String... arguments) throws IOException {
    var command = new ArrayList<>(List.of("regroup"));
    command.addAll(List.of(arguments));
    return program(command);
  }

  private static Program program(List<String> command, String... more) throws IOException {
    var arguments = new ArrayList<>(command.subList(1, command.size()));
    arguments.addAll(Arrays.asList(more));
    arguments.addAll(List.of("--kubeconfig", cluster.kubeconfig().toString()));
    return Program.start(Map.of(), arguments);
  }

  /** The API server knows who vouches for the webhooks. */
  private static void awaitTrust() throws Exception {
    for (var kind : List.of("mutating", "validating")) {
      var path = "/apis/admissionregistration.k8s.io/v1/" + kind + "webhookconfigurations";
      cluster
          .kube()
          .watchUntil(
              path,
              "",
              events ->
                  !events
                      .getLast()
                      .at("/object/webhooks/0/clientConfig/caBundle")
                      .asText()
                      .isEmpty(),
              START);
    }
  }
}
