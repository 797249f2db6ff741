package dev.regroup.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
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

  @Test
  void a_deleted_pod_leaves_nothing_behind() throws Exception {
    var pod = cluster.createPod("t", fourContainers("none"));
    pods.until("p", SOON, p -> Wait.condition(p, "Ready").equals("True"));

    assertThat(cluster.api().delete(Kinds.PODS, new ObjectKey("t", "p"), DeleteOptions.NONE))
        .isTrue();
    pods.untilGone("p", SOON);

    cluster.awaitRemoved(pod.at("/metadata/uid").asText(), SOON);
    assertThat(cluster.runtime().pods()).isEmpty();
    assertThat(directory.resolve("cluster/node/pods")).isEmptyDirectory();
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
