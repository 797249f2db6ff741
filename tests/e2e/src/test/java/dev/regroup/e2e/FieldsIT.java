package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is accepted is honoured or said, with real processes: signals, claims, users, requests. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class FieldsIT {

  private static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";

  @TempDir static Path folder;
  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** API-10, TERM-03. */
  @Test
  void a_deleted_pod_gets_its_stop_signal() throws Exception {
    var heard = listener("deleted", "Never", "");

    kube().delete(PODS + "/deleted", "");

    kube().awaitGone(PODS, "fieldSelector=metadata.name%3Ddeleted", LIMIT);
    assertThat(heard).content().isEqualTo("USR1\n");
  }

  /** API-10, TERM-10. */
  @Test
  void a_container_whose_probe_fails_gets_its_stop_signal() throws Exception {
    var heard =
        listener(
            "probed",
            "OnFailure",
            "livenessProbe: {exec: {command: [sh, -c, \"test -e /none\"]}, periodSeconds: 1,"
                + " failureThreshold: 1}");

    kube()
        .awaitOne(
            PODS,
            "probed",
            pod -> pod.at("/status/containerStatuses/0/lastState/terminated").isObject(),
            LIMIT);
    assertThat(heard).content().startsWith("USR1\n");
    kube().delete(PODS + "/probed", "gracePeriodSeconds=0");
  }

  /** API-10, RAC-13: the victims of a restart of all containers. */
  @Test
  void a_restart_of_all_containers_uses_the_stop_signal() throws Exception {
    Path heard = folder.resolve("victim");
    Path go = folder.resolve("go");
    kube()
        .create(
            PODS,
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: victim, annotations: {regroup.dev/restart-grace: "60"}}
            spec:
              os: {name: linux}
              restartPolicy: Never
              containers:
              - name: source
                image: host
                command: [sh, -c, "until [ -e FOLDER/go ]; do sleep 0.1; done; [ -e FOLDER/once ] && sleep 1000; touch FOLDER/once; exit 42"]
                restartPolicy: Never
                restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]
                volumeMounts: [{name: host, mountPath: FOLDER}]
              - name: victim
                image: host
                command: [sh, -c, "trap 'echo USR1 >> FOLDER/victim; exit 0' USR1; trap 'echo TERM >> FOLDER/victim; exit 0' TERM; touch FOLDER/listens; while :; do sleep 0.1; done"]
                lifecycle: {stopSignal: SIGUSR1}
                volumeMounts: [{name: host, mountPath: FOLDER}]
              volumes: [{name: host, hostPath: {path: FOLDER}}]
            """
                .replace("FOLDER", folder.toString()));
    kube().awaitOne(PODS, "victim", FieldsIT::isRunning, LIMIT);
    Fifo.await(folder.resolve("listens"), LIMIT); // a container runs before its command has
    Files.createFile(go);

    kube()
        .awaitOne(
            PODS,
            "victim",
            pod ->
                isRunning(pod) && pod.at("/status/containerStatuses/1/restartCount").asInt() == 1,
            LIMIT);

    assertThat(heard).content().isEqualTo("USR1\n");
    kube().delete(PODS + "/victim", "gracePeriodSeconds=0");
  }

  @Test
  void what_is_written_to_a_claim_outlives_the_pod_and_goes_with_the_claim() throws Exception {
    kube()
        .create(
            CLAIMS,
            """
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: data}
            spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
            """);
    useClaim("writer", "echo kept > /data/file");
    useClaim("reader", "grep kept /data/file");
    Path directory =
        folder
            .resolve("data/node/claims")
            .resolve(kube().get(CLAIMS + "/data").at("/metadata/uid").asText());
    assertThat(directory.resolve("file")).exists();

    kube().delete(PODS + "/writer", "gracePeriodSeconds=0");
    kube().delete(PODS + "/reader", "gracePeriodSeconds=0");
    kube().delete(CLAIMS + "/data", "");

    kube().awaitGone(CLAIMS, "fieldSelector=metadata.name%3Ddata", LIMIT);
    awaitAbsent(directory);
  }

  @Test
  void a_pod_that_wants_users_of_its_own_does_not_run_without_them() throws Exception {
    kube()
        .create(
            PODS,
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: apart}
            spec:
              hostUsers: false
              containers: [{name: c, image: host, command: [sleep, "1000"]}]
            """);

    kube().awaitEvent("apart", "FailedCreatePodSandBox", "spec.hostUsers", LIMIT);
    assertThat(kube().get(PODS + "/apart").at("/status/phase").asText()).isEqualTo("Pending");
    kube().delete(PODS + "/apart", "gracePeriodSeconds=0");
  }

  @Test
  void a_pod_that_asks_for_more_than_the_machine_has_waits() throws Exception {
    kube()
        .create(
            PODS,
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: big}
            spec:
              containers:
              - {name: c, image: host, command: ["true"], resources: {requests: {cpu: "6400", nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 1}}}
            """);

    kube()
        .awaitEvent(
            "big", "FailedScheduling", "1 Insufficient cpu, 1 Insufficient nvidia.com/gpu.", LIMIT);
    kube().delete(PODS + "/big", "gracePeriodSeconds=0");
  }

  @Test
  void the_node_says_its_version_once() throws Exception {
    var info = kube().list("/api/v1/nodes", "").path(0).at("/status/nodeInfo");

    assertThat(info.path("kubeletVersion").asText()).isEqualTo("v1.36.3+regroup");
    assertThat(info.path("containerRuntimeVersion").asText())
        .startsWith("regroup://")
        .doesNotContain("1.36.3");
  }

  private static Kube kube() {
    return cluster.kube();
  }

  /** A running pod that notes which signal it got, and the file it notes it in. */
  private static Path listener(String name, String policy, String more) throws Exception {
    Path heard = folder.resolve(name);
    kube()
        .create(
            PODS,
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: NAME}
            spec:
              os: {name: linux}
              restartPolicy: POLICY
              containers:
              - name: c
                image: host
                command: [sh, -c, "trap 'echo USR1 >> FOLDER/NAME; exit 1' USR1; trap 'echo TERM >> FOLDER/NAME; exit 1' TERM; touch /tmp/ready; while :; do sleep 0.1; done"]
                lifecycle: {stopSignal: SIGUSR1}
                startupProbe: {exec: {command: [cat, /tmp/ready]}, periodSeconds: 1, failureThreshold: 100}
                MORE
                volumeMounts: [{name: host, mountPath: FOLDER}]
              volumes: [{name: host, hostPath: {path: FOLDER}}]
            """
                .replace("NAME", name)
                .replace("POLICY", policy)
                .replace("MORE", more)
                .replace("FOLDER", folder.toString()));
    if (more.isEmpty()) {
      kube()
          .awaitOne(
              PODS, name, pod -> pod.at("/status/containerStatuses/0/started").asBoolean(), LIMIT);
    }
    return heard;
  }

  private static void useClaim(String name, String script) throws Exception {
    kube()
        .create(
            PODS,
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: NAME}
            spec:
              restartPolicy: Never
              containers: [{name: c, image: host, command: [sh, -c, "SCRIPT"], volumeMounts: [{name: v, mountPath: /data}]}]
              volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
            """
                .replace("NAME", name)
                .replace("SCRIPT", script));
    var pod = kube().awaitOne(PODS, name, FieldsIT::hasEnded, LIMIT);
    assertThat(pod.at("/status/phase").asText()).as(name).isEqualTo("Succeeded");
  }

  private static boolean isRunning(JsonNode pod) {
    var containers = pod.at("/status/containerStatuses");
    for (JsonNode container : containers) {
      if (!container.at("/state/running").isObject()) {
        return false;
      }
    }
    return containers.size() > 0;
  }

  private static boolean hasEnded(JsonNode pod) {
    return List.of("Succeeded", "Failed").contains(pod.at("/status/phase").asText());
  }

  /** A directory that is removed by another process tells nobody; bounded by the timeout. */
  private static void awaitAbsent(Path directory) throws IOException, InterruptedException {
    try (var watch = directory.getFileSystem().newWatchService()) {
      directory.getParent().register(watch, java.nio.file.StandardWatchEventKinds.ENTRY_DELETE);
      while (Files.exists(directory)) {
        watch.take().reset();
      }
    }
  }
}
