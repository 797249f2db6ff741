package dev.regroup.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.testing.FreePort;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Real server, real runtime, real node: pods are processes in namespaces. */
@ParameterizedClass
@EnumSource(Road.class)
class NodeIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String RESTART_ALL =
      """
      "restartPolicyRules":[{"action":"RestartAllContainers",
      "exitCodes":{"operator":"In","values":[42]}}],\
      """;

  private static final String SECCOMP_STATE =
      "grep ^Seccomp: /proc/self/status > /dev/termination-log";

  @Parameter Road road;
  @TempDir Path directory;

  private LocalCluster cluster;
  private Wait pods;

  @BeforeEach
  void up() throws Exception {
    Needs.root();
    cluster = LocalCluster.start(directory.resolve("cluster"), Gates.product(), road);
    cluster.createNamespace("t");
    pods = new Wait(cluster, "t");
  }

  @AfterEach
  void down() throws Exception {
    if (cluster != null) {
      pods.close();
      cluster.destroy();
    }
  }

  @ParameterizedTest
  @CsvSource({"init", "side", "src"})
  void restart_all_keeps_uid_address_and_volumes_and_counts_once(String source) throws Exception {
    cluster.createPod("t", fourContainers(source));

    var pod =
        pods.until(
            "p",
            SOON,
            p -> Wait.condition(p, "Ready").equals("True") && Wait.count(p, source) == 1);

    assertThat(Wait.count(pod, "init")).isEqualTo(1);
    int others = source.equals("init") ? 0 : 1; // behind the first entry nothing ran (RAC-62)
    assertThat(Wait.count(pod, "side")).isEqualTo(others);
    assertThat(Wait.count(pod, "reg")).isEqualTo(others);
    var before = firstWith("PodReadyToStartContainers");
    assertThat(pod.at("/metadata/uid")).isEqualTo(before.at("/metadata/uid"));
    assertThat(pod.at("/status/podIP")).isEqualTo(before.at("/status/podIP"));
    assertThat(pod.at("/status/startTime")).isEqualTo(before.at("/status/startTime"));
    var volume = volume(pod, "v");
    assertThat(Files.readString(volume.resolve("init"))).isEqualTo("run\nrun\n");
    assertThat(conditions("AllContainersRestarting")).containsExactly("False", "True", "False");
  }

  /** ACC-112: neither for the next of its name. */
  @Test
  void a_deleted_pod_leaves_nothing_behind() throws Exception {
    var pod = cluster.createPod("t", fourContainers("src"));
    pods.until(
        "p", SOON, p -> Wait.condition(p, "Ready").equals("True") && Wait.count(p, "src") == 1);

    assertThat(cluster.api().delete(Kinds.PODS, new ObjectKey("t", "p"), DeleteOptions.NONE))
        .isTrue();
    pods.untilGone("p", SOON);

    cluster.awaitRemoved(pod.at("/metadata/uid").asText(), SOON);
    assertThat(cluster.runtime().pods()).isEmpty();
    assertThat(directory.resolve("cluster/node/pods")).isEmptyDirectory();
    var next = cluster.createPod("t", fourContainers("none")).at("/metadata/uid");
    var after =
        pods.until(
            "p",
            SOON,
            p -> p.at("/metadata/uid").equals(next) && Wait.condition(p, "Ready").equals("True"));
    assertThat(List.of("init", "side", "src", "reg"))
        .allMatch(container -> Wait.count(after, container) == 0);
    assertThat(after.at("/metadata/annotations").has("regroup.dev/restarts")).isFalse();
  }

  /** ACC-110. */
  @Test
  void twenty_pods_restart_in_the_same_second_and_disturb_nobody() throws Exception {
    var together = directory.resolve("now");
    for (int i = 0; i < 20; i++) {
      cluster.createPod(
          "t",
          """
          {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d"},
           "spec":{"restartPolicy":"Never","automountServiceAccountToken":false,
            "containers":[{"name":"c","image":"i","restartPolicy":"Never",%s
             "command":["sh","-c","%s"],
             "volumeMounts":[{"name":"v","mountPath":"/mnt"},{"name":"h","mountPath":"/h"}]}],
            "volumes":[{"name":"v","emptyDir":{}},{"name":"h","hostPath":{"path":"%s"}}]}}
          """
              .formatted(
                  i,
                  RESTART_ALL,
                  "[ -e /mnt/d ] && exec sleep 3600; touch /mnt/d;"
                      + " while [ ! -e /h/now ]; do sleep 0.1; done; exit 42",
                  directory));
    }
    for (int i = 0; i < 20; i++) {
      pods.until("p" + i, SOON, p -> Wait.condition(p, "Ready").equals("True"));
    }

    Files.createFile(together);
    cluster.createPod("t", fourContainers("none"));

    pods.until("p", SOON, p -> Wait.condition(p, "Ready").equals("True"));
    for (int i = 0; i < 20; i++) {
      var pod =
          pods.until(
              "p" + i,
              SOON,
              p -> Wait.condition(p, "Ready").equals("True") && Wait.count(p, "c") > 0);
      assertThat(Wait.count(pod, "c")).isEqualTo(1);
    }
  }

  /** ACC-111: in the network of the host nothing takes the port away with a sandbox. */
  @Test
  void the_port_of_a_victim_is_free_before_it_starts_again() throws Exception {
    int port = FreePort.next();
    cluster.createPod(
        "t",
        """
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"h"},
         "spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"hostNetwork":true,
          "containers":[
           {"name":"src","image":"i","restartPolicy":"Never",%s"command":["sh","-c","%s"],
            "volumeMounts":[{"name":"v","mountPath":"/mnt"},{"name":"h","mountPath":"/h"}]},
           {"name":"web","image":"i",
            "command":["%s/bin/java","-m","jdk.httpserver","-b","127.0.0.1","-p","%d"]}],
          "volumes":[{"name":"v","emptyDir":{}},{"name":"h","hostPath":{"path":"%s"}}]}}
        """
            .formatted(
                RESTART_ALL,
                "[ -e /mnt/d ] && exec sleep 3600; touch /mnt/d;"
                    + " while [ ! -e /h/now ]; do sleep 0.1; done; exit 42",
                System.getProperty("java.home"),
                port,
                directory));
    awaitListener(port);

    Files.createFile(directory.resolve("now"));
    pods.until("h", SOON, p -> Wait.count(p, "web") == 1);
    awaitListener(port);

    var pod = pods.until("h", SOON, p -> Wait.condition(p, "Ready").equals("True"));
    assertThat(Wait.count(pod, "web")).isEqualTo(1);
  }

  private static void awaitListener(int port) throws Exception {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (true) {
      try (var socket = new Socket("127.0.0.1", port)) {
        assertThat(socket.isConnected()).isTrue();
        return;
      } catch (ConnectException e) {
        assertThat(System.nanoTime()).as("nobody listens").isLessThan(deadline);
        Thread.onSpinWait();
      }
    }
  }

  /** STS-16, ACC-196. */
  @Test
  void a_container_leaves_a_last_message() throws Exception {
    cluster.createPod(
        "t",
        """
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"m"},
         "spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"containers":[
          {"name":"file","image":"i","command":["sh","-c","echo why > /dev/termination-log"]},
          {"name":"own","image":"i","terminationMessagePath":"/tmp/last",
           "securityContext":{"runAsUser":65534},
           "command":["sh","-c","echo mine > /tmp/last; exit 1"]},
          {"name":"log","image":"i","terminationMessagePolicy":"FallbackToLogsOnError",
           "command":["sh","-c","echo said; exit 1"]},
          {"name":"fine","image":"i","terminationMessagePolicy":"FallbackToLogsOnError",
           "command":["sh","-c","echo said"]},
          {"name":"both","image":"i","terminationMessagePolicy":"FallbackToLogsOnError",
           "command":["sh","-c","echo said; echo file > /dev/termination-log; exit 1"]}]}}
        """);

    var pod = pods.until("m", SOON, p -> p.findValues("terminated").size() == 5);

    var states = new java.util.TreeMap<String, JsonNode>();
    pod.at("/status/containerStatuses").forEach(c -> states.put(c.path("name").asText(), c));
    assertThat(message(states, "file")).isEqualTo("why\n");
    assertThat(message(states, "own")).isEqualTo("mine\n");
    assertThat(message(states, "log")).isEqualTo("said\n");
    assertThat(message(states, "fine")).isEmpty();
    assertThat(message(states, "both")).isEqualTo("file\n");
  }

  /** AS-81: a pod of a JobSet that was deleted takes no orders from the next of its name. */
  @Test
  void a_pod_of_an_older_namesake_neither_reports_nor_obeys() throws Exception {
    var jobSet =
        cluster
            .api()
            .create(
                Kinds.JOB_SETS,
                "t",
                Wire.tree(
                    """
                    {"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet",
                     "metadata":{"name":"g"},
                     "spec":{"failurePolicy":{"restartStrategy":"InPlaceRestart"},
                      "replicatedJobs":[{"name":"w","template":{"spec":{"template":{"spec":{
                       "containers":[{"name":"c","image":"i","command":["true"]}]}}}}}]}}
                    """));
    cluster.createPod("t", member("old", "gone"));
    pods.until("old", SOON, p -> Wait.condition(p, "Initialized").equals("True"));

    cluster.createPod("t", member("new", jobSet.at("/metadata/uid").asText()));
    pods.until("new", SOON, p -> attempt(p).equals("0"));

    var old = pods.until("old", SOON, _ -> true);
    assertThat(attempt(old)).isEmpty();
    assertThat(old.at("/status/containerStatuses/0/state").has("running")).isFalse();
  }

  private static String attempt(JsonNode pod) {
    return pod.path("metadata")
        .path("annotations")
        .path("jobset.sigs.k8s.io/in-place-restart-attempt")
        .asText("");
  }

  private static String member(String name, String jobSetUid) {
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s",
      "labels":{"jobset.sigs.k8s.io/jobset-name":"g","jobset.sigs.k8s.io/jobset-uid":"%s"},
      "annotations":{"jobset.sigs.k8s.io/inject-in-place-restart-agent":"node"}},
     "spec":{"restartPolicy":"Never","automountServiceAccountToken":false,
      "containers":[{"name":"c","image":"i","restartPolicy":"Never",%s
       "command":["sleep","3600"]}]}}
    """
        .formatted(name, jobSetUid, RESTART_ALL);
  }

  @Test
  void a_restarted_node_adopts_running_containers() throws Exception {
    cluster.createPod("t", fourContainers("none"));
    var before = pods.until("p", SOON, p -> Wait.condition(p, "Ready").equals("True"));
    pods.close();
    cluster.close();

    cluster = LocalCluster.start(directory.resolve("cluster"), Gates.product(), road);
    pods = new Wait(cluster, "t");
    var uid = new dev.regroup.runtime.PodUid(before.at("/metadata/uid").asText());
    var after = pods.until("p", SOON, p -> Wait.condition(p, "Ready").equals("True"));

    assertThat(after.at("/status/containerStatuses"))
        .isEqualTo(before.at("/status/containerStatuses"));
    assertThat(cluster.runtime().containers(uid)).hasSize(4);
  }

  @Test
  void seccomp_profiles_of_pod_and_container_reach_the_processes() throws Exception {
    cluster.createPod(
        "t",
        """
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"s"},
         "spec":{"restartPolicy":"Never","automountServiceAccountToken":false,
          "securityContext":{"seccompProfile":{"type":"RuntimeDefault"}},
          "containers":[
           {"name":"pod","image":"i","command":["sh","-c","%s"]},
           {"name":"own","image":"i","command":["sh","-c","%s"],
            "securityContext":{"seccompProfile":{"type":"Unconfined"}}},
           {"name":"missing","image":"i","command":["true"],
            "securityContext":
             {"seccompProfile":{"type":"Localhost","localhostProfile":"none.json"}}}]}}
        """
            .formatted(SECCOMP_STATE, SECCOMP_STATE));

    var pod =
        pods.until(
            "s",
            SOON,
            p ->
                p.findValues("terminated").size() == 2
                    && p.findValuesAsText("message").toString().contains("\"none.json\""));

    var states = new java.util.TreeMap<String, JsonNode>();
    pod.at("/status/containerStatuses").forEach(c -> states.put(c.path("name").asText(), c));
    assertThat(message(states, "pod")).isEqualTo("Seccomp:\t2\n");
    assertThat(message(states, "own")).isEqualTo("Seccomp:\t0\n");
    assertThat(states.get("missing").at("/state/waiting/reason").asText())
        .isEqualTo("CreateContainerError");
  }

  private static String message(java.util.Map<String, JsonNode> states, String container) {
    return states.get(container).at("/state/terminated/message").asText();
  }

  private JsonNode firstWith(String condition) {
    return pods.seen().stream()
        .filter(p -> Wait.condition(p, condition).equals("True"))
        .findFirst()
        .orElseThrow();
  }

  private List<String> conditions(String type) {
    var changes = new java.util.ArrayList<String>();
    for (var pod : pods.seen()) {
      var value = Wait.condition(pod, type);
      if (!value.isEmpty() && (changes.isEmpty() || !changes.getLast().equals(value))) {
        changes.add(value);
      }
    }
    return changes;
  }

  private Path volume(JsonNode pod, String name) {
    return directory
        .resolve("cluster/node/pods")
        .resolve(pod.at("/metadata/uid").asText())
        .resolve("volumes")
        .resolve(name);
  }

  /** The source exits 42 once; everything else runs on. */
  static String fourContainers(String source) {
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
     "spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":1,
      "automountServiceAccountToken":false,
      "initContainers":[
       {"name":"init","image":"i","restartPolicy":"Never",%s"command":["sh","-c","%s"],
        "volumeMounts":[{"name":"v","mountPath":"/mnt"}]},
       {"name":"side","image":"i","restartPolicy":"Always",%s"command":["sh","-c","%s"],
        "volumeMounts":[{"name":"v","mountPath":"/mnt"}]}],
      "containers":[
       {"name":"src","image":"i","restartPolicy":"Never",%s"command":["sh","-c","%s"],
        "volumeMounts":[{"name":"v","mountPath":"/mnt"}]},
       {"name":"reg","image":"i","command":["sleep","3600"]}],
      "volumes":[{"name":"v","emptyDir":{}}]}}
    """
        .formatted(
            RESTART_ALL,
            "echo run >> /mnt/init; " + once(source.equals("init"), "exit 0"),
            RESTART_ALL,
            once(source.equals("side"), "sleep 3600"),
            RESTART_ALL,
            once(source.equals("src"), "sleep 3600"));
  }

  private static String once(boolean isSource, String otherwise) {
    return isSource
        ? "if [ -e /mnt/d ]; then " + otherwise + "; else touch /mnt/d; sleep 0.3; exit 42; fi"
        : otherwise;
  }
}
