package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Ways from a default pod to the rights of who started the program, tried in a real one. What a
 * container alone can try is in the runtime's own list, EscapesIT.
 */
class EscapeListIT {

  private static final String PODS = "/api/v1/namespaces/default/pods";

  /** Not in /tmp: containers see this one of the host. */
  private static Path folder;

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    folder = Files.createTempDirectory(Path.of("/var/tmp"), "regroup-escape-list");
    Files.writeString(folder.resolve("public"), "public\n");
    cluster = Cluster.up(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
    if (folder != null) {
      try (var paths = Files.walk(folder)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private static JsonNode create(String name, String spec, Object... values) throws Exception {
    return cluster
        .kube()
        .create(
            PODS,
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s}
            spec:
            """
                    .formatted(name)
                + spec.formatted(values).indent(2));
  }

  private static JsonNode awaitPhase(JsonNode pod, String phases) throws Exception {
    String name = pod.path("metadata").path("name").asText();
    return cluster
        .kube()
        .awaitOne(
            PODS, name, now -> now.path("status").path("phase").asText().matches(phases), LIMIT);
  }

  private static String logOf(JsonNode pod) throws Exception {
    awaitPhase(pod, "Succeeded|Failed");
    String name = pod.path("metadata").path("name").asText();
    return cluster.kube().text(PODS + "/" + name + "/log", "");
  }

  @Test
  void forbids_to_use_the_kubeconfig_the_program_wrote() throws Exception {
    var pod =
        create(
            "kubeconfig",
            """
            restartPolicy: Never
            containers:
            - name: main
              image: host
              command: [sh, -c, "cat %1$s/public; cat %1$s/kubeconfig*; ls -A %1$s/data /root /home"]
            """,
            folder);

    assertThat(logOf(pod).lines())
        .contains("public")
        .noneMatch(line -> line.contains("client-key-data") || line.contains("server:"))
        .noneMatch(line -> line.matches("\\.\\w+|keys|runtime|node"));
  }

  /** Whoever reads the keys of one may do everything there. */
  @Test
  void forbids_to_find_the_keys_of_another_cluster_of_this_machine() throws Exception {
    var other = Files.createDirectory(folder.resolve("other"));
    Files.writeString(other.resolve("public"), "public\n");
    try (var another = Cluster.up(other)) {
      assertThat(another.data().resolve("pki")).isNotEmptyDirectory();

      var pod =
          create(
              "neighbour",
              """
              restartPolicy: Never
              containers:
              - name: main
                image: host
                command: [sh, -c, "cat %1$s/public; cat %1$s/kubeconfig; ls -A %1$s/data /var/lib/regroup/*"]
              """,
              other);

      assertThat(logOf(pod).lines())
          .contains("public")
          .noneMatch(line -> line.contains("client-key-data") || line.contains("server:"))
          .noneMatch(line -> line.matches("\\.\\w+|keys|pki|runtime|node|.*-.*-.*-.*-.*"));
    }
  }

  @Test
  void forbids_to_speak_to_the_api_as_anybody() throws Exception {
    var pod =
        create(
            "anonymous",
            """
            restartPolicy: Never
            containers:
            - name: main
              image: host
              command: [sh, -c]
              args:
              - |
                api=https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT
                for path in api/v1/pods api/v1/secrets apis/batch/v1/jobs; do
                  curl -sk -m 20 -o /dev/null -w '%%{http_code}\\n' $api/$path
                done
            """);

    assertThat(logOf(pod).lines()).hasSize(3).allMatch(code -> code.matches("40[13]"));
  }

  @Test
  void forbids_a_sub_path_to_lead_out_of_a_memory_volume() throws Exception {
    var pod =
        create(
            "sub-path",
            """
            restartPolicy: Never
            volumes: [{name: mem, emptyDir: {medium: Memory}}]
            initContainers:
            - name: init
              image: host
              command: [sh, -c, "ln -s / /mem/x"]
              volumeMounts: [{name: mem, mountPath: /mem}]
            containers:
            - name: main
              image: host
              command: [sh, -c, "ls -A /vol"]
              volumeMounts: [{name: mem, mountPath: /vol, subPath: x}]
            """);

    var ended = awaitPhase(pod, "Failed");

    var state = ended.path("status").path("containerStatuses").path(0).path("state");
    assertThat(state.path("terminated").path("reason").asText()).isEqualTo("StartError");
    assertThat(state.path("terminated").path("message").asText()).contains("leads out");
  }

  @Test
  void honours_what_a_pod_says_about_its_isolation() throws Exception {
    var pod =
        create(
            "isolation",
            """
            restartPolicy: Never
            hostPID: true
            hostIPC: true
            securityContext:
              fsGroup: 4321
              supplementalGroups: [5432]
              sysctls: [{name: net.ipv4.tcp_fin_timeout, value: "17"}]
            volumes:
            - {name: disk, emptyDir: {}}
            - {name: mem, emptyDir: {medium: Memory}}
            containers:
            - name: main
              image: host
              securityContext: {runAsUser: 1234, runAsGroup: 2345, readOnlyRootFilesystem: true}
              command: [sh, -c]
              args:
              - |
                id -u; id -G; stat -c '%%a %%g' /mnt /mem; touch /mnt/x && echo written
                cat /proc/sys/net/ipv4/tcp_fin_timeout; test -d /proc/%d && echo host
              volumeMounts:
              - {name: disk, mountPath: /mnt}
              - {name: mem, mountPath: /mem}
            """,
            ProcessHandle.current().pid());

    assertThat(logOf(pod).lines())
        .containsExactly(
            "1234", "2345 4321 5432", "2777 4321", "3777 4321", "written", "17", "host");
  }

  @Test
  void shows_a_debugging_container_the_processes_of_its_target() throws Exception {
    var pod =
        create(
            "target",
            """
            terminationGracePeriodSeconds: 1
            containers:
            - {name: app, image: host, command: [sleep, "98765"]}
            """);
    String path = PODS + "/target";
    awaitPhase(pod, "Running");

    cluster
        .kube()
        .patch(
            path + "/ephemeralcontainers",
            """
            {"spec": {"ephemeralContainers": [{"name": "debugger", "image": "host",
              "targetContainerName": "app", "command": ["cat", "/proc/1/cmdline"]}]}}
            """);
    cluster
        .kube()
        .awaitOne(
            PODS,
            "target",
            now ->
                StreamSupport.stream(
                        now.path("status").path("ephemeralContainerStatuses").spliterator(), false)
                    .anyMatch(status -> status.path("state").has("terminated")),
            LIMIT);

    assertThat(cluster.kube().text(path + "/log", "container=debugger"))
        .isEqualTo("sleep\0" + "98765\0");
    cluster.kube().delete(path, "");
  }
}
