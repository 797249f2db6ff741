package dev.regroup.e2e;

import static dev.regroup.e2e.Kube.revision;
import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One pod starts all its containers again where it stands: what stays and what is seen. */
class RestartAllIT {

  /** Which container ends with the code of the rule, and how often each has started again then. */
  private enum Source {
    MAIN("main", 1, true),
    SIDE("side", 1, true),
    INIT("init", 0, false); // the regular containers had not run yet (RAC-62)

    private final String container;
    private final int regularRestarts;
    private final boolean ranBefore;

    Source(String container, int regularRestarts, boolean ranBefore) {
      this.container = container;
      this.regularRestarts = regularRestarts;
      this.ranBefore = ranBefore;
    }

    Map<String, Integer> restarts() {
      return Map.of("side", 1, "init", 1, "main", regularRestarts, "other", regularRestarts);
    }

    /** Those whose previous log can be read. */
    List<String> victims() {
      return ranBefore ? List.of("side", "init", "main", "other") : List.of("side", "init");
    }
  }

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: NAME}
      spec:
        restartPolicy: Never
        terminationGracePeriodSeconds: 1
        initContainers:
        - {name: side, image: host, restartPolicy: Always, command: [sh, -c, "SCRIPT_side"], RULES, MOUNTS}
        - {name: init, image: host, restartPolicy: Never, command: [sh, -c, "SCRIPT_init"], RULES, MOUNTS}
        containers:
        - {name: main, image: host, restartPolicy: Never, command: [sh, -c, "SCRIPT_main"], RULES, MOUNTS}
        - {name: other, image: host, command: [sh, -c, "SCRIPT_other"], MOUNTS}
        volumes:
        - {name: disk, emptyDir: {}}
        - {name: memory, emptyDir: {medium: Memory}}
        - {name: config, configMap: {name: words}}
        - {name: host, hostPath: {path: FOLDER}}
      """;

  private static final String RULES =
      "restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values:"
          + " [42]}}]";

  private static final String MOUNTS =
      "volumeMounts: [{name: disk, mountPath: /disk}, {name: memory, mountPath: /memory},"
          + " {name: config, mountPath: /config}, {name: host, mountPath: FOLDER}]";

  /**
   * Writes something random into each volume when it is not there yet, and logs what is there: the
   * logs of two runs are equal when the volumes kept their content.
   */
  private static final String MARK =
      "for v in /disk /memory FOLDER; do"
          + " [ -e $v/CONTAINER ] || cat /proc/sys/kernel/random/uuid >$v/CONTAINER;"
          + " cat $v/CONTAINER; done; cat /config/word; echo CONTAINER >>FOLDER/starts;"
          + " : >FOLDER/CONTAINER.$(grep -c CONTAINER FOLDER/starts);";

  /** In its first run the source waits for the test and ends with 42. */
  private static final String END_ONCE =
      "[ -e FOLDER/end ] || { " + Fifo.read("FOLDER/end") + "; exit 42; };";

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Kube kube;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
    kube = cluster.kube();
    kube.create(
        "/api/v1/namespaces/default/configmaps",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words}\ndata: {word: hello}\n");
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** Among others ACC-075 (volumes), ACC-107 and OBS-12 (the log of the run before). */
  @ParameterizedTest
  @EnumSource(Source.class)
  void starts_all_containers_again_where_they_stand(Source source) throws Exception {
    Path own = Files.createDirectory(folder.resolve(source.container));
    kube.create(PODS, manifest(source, own));
    Fifo.await(own.resolve("end"), LIMIT);
    var before = kube.awaitOne(PODS, source.container, pod -> hasStarted(pod, source), LIMIT);
    for (String started : source.victims()) { // a container runs before its command has
      Fifo.await(own.resolve(started + ".1"), LIMIT);
    }

    Fifo.write(own.resolve("end"), "now");
    var after =
        kube.awaitOne(
            PODS,
            source.container,
            pod -> restarts(pod).equals(source.restarts()) && allUp(pod),
            LIMIT);

    for (var started : source.restarts().entrySet()) {
      Fifo.await(own.resolve(started.getKey() + "." + (started.getValue() + 1)), LIMIT);
    }
    assertThat(field(after, "metadata", "uid")).isEqualTo(field(before, "metadata", "uid"));
    assertThat(field(after, "status", "podIP"))
        .isNotEmpty()
        .isEqualTo(field(before, "status", "podIP"));
    assertThat(field(after, "status", "startTime")).isEqualTo(field(before, "status", "startTime"));
    assertThat(Files.readAllLines(own.resolve("starts")))
        .containsExactlyInAnyOrderElementsOf(starts(source));
    volumesAreAsBefore(source);
    seenAsARestart(source, before, after);
    kube.delete(PODS + "/" + source.container, "");
  }

  /** ACC-075 and ACC-107: the log of the run before is there and says the same as this one. */
  private static void volumesAreAsBefore(Source source) throws Exception {
    for (String container : source.victims()) {
      String path = PODS + "/" + source.container + "/log";
      String previous = kube.text(path, "container=" + container + "&previous=true");
      assertThat(previous.lines()).as("previous log of " + container).hasSize(4);
      assertThat(previous).endsWith("hello");
      kube.awaitText(path, "container=" + container, previous::equals, LIMIT);
    }
  }

  /** CND-10, CND-11 and RAC-38: False, True with the reason, False; Pending all the time. */
  private static void seenAsARestart(Source source, JsonNode before, JsonNode after)
      throws Exception {
    var states = new ArrayList<String>();
    boolean restarting = false;
    for (JsonNode pod :
        kube.history(
            PODS,
            "fieldSelector=metadata.name%3D" + source.container,
            revision(before),
            revision(after))) {
      var condition = Kube.condition(pod, "AllContainersRestarting");
      String state = condition.path("status").asText("absent");
      if (states.isEmpty() || !states.getLast().equals(state)) {
        states.add(state);
      }
      restarting |= state.equals("True");
      if (state.equals("True")) {
        assertThat(condition.path("reason").asText()).isEqualTo("ContainerExited");
        assertThat(condition.path("message").asText())
            .isEqualTo(
                "Container %s exited with code 42, triggering pod restart"
                    .formatted(source.container));
      }
      if (restarting && !allUp(pod)) {
        assertThat(field(pod, "status", "phase")).as(pod.toString()).isEqualTo("Pending");
      }
    }
    assertThat(states).endsWith("True", "False").doesNotContain("absent");
    assertThat(field(after, "status", "phase")).isEqualTo("Running");
  }

  private static String manifest(Source source, Path own) {
    String text = POD;
    for (String container : List.of("side", "init", "main", "other")) {
      String then = container.equals("init") ? "true" : "exec sleep 600";
      String end = container.equals(source.container) ? END_ONCE : "";
      String script = MARK.replace("CONTAINER", container) + " " + end + " " + then;
      text = text.replace("SCRIPT_" + container, script);
    }
    return text.replace("RULES", RULES)
        .replace("MOUNTS", MOUNTS)
        .replace("FOLDER", own.toString())
        .replace("NAME", source.container);
  }

  /** As far as the pod comes before the source ends. */
  private static boolean hasStarted(JsonNode pod, Source source) {
    return source.ranBefore ? allUp(pod) : field(pod, "status", "podIP").length() > 0;
  }

  private static boolean allUp(JsonNode pod) {
    var statuses = pod.path("status").path("containerStatuses");
    for (JsonNode status : statuses) {
      if (!status.path("state").has("running")) {
        return false;
      }
    }
    return !statuses.isEmpty();
  }

  private static Map<String, Integer> restarts(JsonNode pod) {
    var counts = new TreeMap<String, Integer>();
    for (String list : List.of("initContainerStatuses", "containerStatuses")) {
      for (JsonNode status : pod.path("status").path(list)) {
        counts.put(status.path("name").asText(), status.path("restartCount").asInt());
      }
    }
    return counts;
  }

  private static List<String> starts(Source source) {
    var names = new ArrayList<String>();
    source
        .restarts()
        .forEach((name, count) -> {
          for (int i = 0; i <= count; i++) {
            names.add(name);
          }
        });
    return names;
  }

  private static String field(JsonNode pod, String part, String name) {
    return pod.path(part).path(name).asText();
  }
}
