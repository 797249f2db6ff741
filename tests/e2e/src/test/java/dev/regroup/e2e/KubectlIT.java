package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real kubectl against the program, as people use it every day. */
class KubectlIT {

  @TempDir static Path folder;

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    Kubectl.require();
    cluster = Cluster.up(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void lists_the_kinds_it_knows() throws Exception {
    String kinds = kubectl("api-resources");

    assertThat(kinds)
        .containsPattern("pods +po +v1 +true +Pod")
        .containsPattern("nodes +no +v1 +false +Node")
        .containsPattern("events +ev +v1 +true +Event")
        .containsPattern("jobs +batch/v1 +true +Job")
        .containsPattern("jobsets +jobset.x-k8s.io/v1alpha2 +true +JobSet");
  }

  @Test
  void shows_the_service_of_the_api_as_every_cluster_does() throws Exception {
    assertThat(kubectl("get", "services,endpointslices,endpoints", "-A"))
        .containsPattern(
            "default +service/kubernetes +ClusterIP +10\\.96\\.0\\.1 +<none> +443/TCP +\\d")
        .containsPattern(
            "default +endpointslice\\.discovery\\.k8s\\.io/kubernetes +IPv4 +\\d+ +10\\.")
        .containsPattern("default +endpoints/kubernetes +[0-9.]+:\\d+ +");
  }

  @Test
  void shows_nodes_in_every_form() throws Exception {
    String name = kubectl("get", "nodes", "-o", "name").strip();

    kubectl("wait", "--for=condition=Ready", name, "--timeout=60s");
    assertThat(kubectl("get", "nodes")).containsPattern("NAME +STATUS +ROLES +AGE +VERSION");
    assertThat(kubectl("get", "nodes", "-o", "wide")).contains("INTERNAL-IP", "KERNEL-VERSION");
    assertThat(json("get", name, "-o", "json").path("kind").asText()).isEqualTo("Node");
    assertThat(kubectl("get", name, "-o", "yaml")).contains("kind: Node\n");
    assertThat(kubectl("describe", name)).contains("Conditions:", "Capacity:");
  }

  @Test
  void applies_follows_and_deletes_a_pod() throws Exception {
    Path shared = Files.createDirectory(folder.resolve("follow"));
    Path file = folder.resolve("pod.yaml");
    Files.writeString(file, pod("follow", "first", shared));

    assertThat(kubectl("apply", "-f", file.toString())).contains("pod/follow created");
    kubectl("wait", "--for=condition=Ready", "pod/follow", "--timeout=60s");
    kubectl("wait", "--for=jsonpath={.status.phase}=Running", "pod/follow", "--timeout=60s");
    assertThat(kubectl("get", "pod", "follow"))
        .containsPattern("NAME +READY +STATUS +RESTARTS +AGE")
        .containsPattern("follow +1/1 +Running +0 ");
    assertThat(kubectl("get", "pod", "follow", "-o", "wide"))
        .containsPattern("IP +NODE +NOMINATED NODE +READINESS GATES");
    assertThat(kubectl("get", "pod", "follow", "-o", "jsonpath={.status.podIP}").strip())
        .matches("\\d+\\.\\d+\\.\\d+\\.\\d+");
    cluster.kube().awaitEvent("follow", "Scheduled", "", LIMIT);
    cluster.kube().awaitEvent("follow", "Started", "", LIMIT);
    assertThat(kubectl("describe", "pod", "follow"))
        .contains("Containers:", "Events:", "Scheduled", "Started");
    assertThat(kubectl("get", "events"))
        .containsPattern("LAST SEEN +TYPE +REASON +OBJECT +MESSAGE");

    Files.writeString(file, pod("follow", "second", shared));
    assertThat(kubectl("apply", "-f", file.toString())).contains("pod/follow configured");
    assertThat(kubectl("get", "pod", "follow", "--show-labels")).contains("text=second");
    assertThat(kubectl("apply", "-f", file.toString())).contains("pod/follow unchanged");

    try (var log = following("logs", "-f", "follow")) {
      log.awaitLine("hello"::equals, LIMIT);
      Fifo.await(shared.resolve("end"), LIMIT);
      Fifo.write(shared.resolve("end"), "0");
      assertThat(log.awaitExit(LIMIT)).as(log.output()).isZero(); // the log ends with the container
      assertThat(log.output()).endsWith("good bye");
    }
    kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/follow", "--timeout=60s");
    assertThat(kubectl("delete", "pod", "follow")).contains("pod \"follow\" deleted");
    assertThat(kubectl("get", "pods", "--ignore-not-found", "follow")).isBlank();
  }

  @Test
  void reads_the_log_of_a_chatty_container_with_every_option() throws Exception {
    Path shared = Files.createDirectory(folder.resolve("chatty"));
    Path file = Files.writeString(folder.resolve("chatty.yaml"), chatty(shared));
    kubectl("apply", "-f", file.toString());
    Fifo.await(shared.resolve("end.1"), LIMIT);
    awaitLog("chatty", "0150000\n"); // what was written gets there a little later

    var all = kubectl("logs", "chatty").strip().lines().toList(); // 15 MB were written
    assertThat(all)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(Integer.parseInt(all.getFirst()), 150_000)
                .mapToObj("%099d"::formatted)
                .toList());
    assertThat(all).hasSizeBetween((10 << 20) / 100, (12 << 20) / 100 + 1);
    String last = all.getLast();
    assertThat(kubectl("logs", "chatty", "--tail=2").strip().lines())
        .containsExactly(all.get(all.size() - 2), last);
    assertThat(kubectl("logs", "chatty", "--tail=1", "--limit-bytes=98").strip())
        .isEqualTo(last.substring(0, 98));
    assertThat(kubectl("logs", "chatty", "--tail=1", "--timestamps").strip())
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z " + last);
    assertThat(kubectl("logs", "chatty", "--tail=1", "--since=1h").strip()).isEqualTo(last);
    var hour = Duration.ofHours(1);
    var before = "--since-time=" + Instant.now().minus(hour);
    var after = "--since-time=" + Instant.now().plus(hour);
    assertThat(kubectl("logs", "chatty", "--tail=1", before).strip()).isEqualTo(last);
    assertThat(kubectl("logs", "chatty", after)).isBlank();

    try (var log = following("logs", "-f", "--tail=1", "chatty")) {
      log.awaitLine(last::equals, LIMIT);
      Fifo.write(shared.resolve("end.1"), "3");
      assertThat(log.awaitExit(LIMIT)).as(log.output()).isZero();
      assertThat(log.output()).isEqualTo(last + "\nsorry");
    }
    Fifo.await(shared.resolve("end.2"), LIMIT);
    awaitLog("chatty", "again\n");
    assertThat(kubectl("logs", "chatty").strip()).isEqualTo("again");
    assertThat(kubectl("logs", "--previous", "chatty", "--tail=2").strip())
        .isEqualTo(last + "\nsorry");
    kubectl("wait", "--for=jsonpath={.status.containerStatuses[0].restartCount}=1", "pod/chatty");
    var message =
        json("get", "pod", "chatty", "-o", "json")
            .at("/status/containerStatuses/0/lastState/terminated/message")
            .asText();
    assertThat(message).hasSize(2048).endsWith(last + "\nsorry\n"); // STS-16, of a rotated log
    kubectl("delete", "pod", "chatty", "--now");
  }

  @Test
  void watches_a_jobset_restart_and_end() throws Exception {
    var group = new Workers(folder, "seen", 2);
    Path file = Files.writeString(folder.resolve("jobset.yaml"), group.manifest(3));

    try (var pods = following("get", "pods", "-w", "--output-watch-events")) {
      assertThat(kubectl("apply", "-f", file.toString()))
          .contains("jobset.jobset.x-k8s.io/seen created");
      group.awaitRunning(cluster.kube(), 0);
      pods.awaitLine(line -> line.matches("ADDED +seen-w-0-1-.*"), LIMIT); // now it looks
      group.exit(0, 1, 1);
      group.awaitRunning(cluster.kube(), 1);
      pods.awaitLine(line -> line.matches("MODIFIED +seen-w-0-1-.* 1 .*"), LIMIT);
    }
    assertThat(kubectl("get", "jobsets"))
        .containsPattern("NAME +TERMINALSTATE +RESTARTS +COMPLETED +SUSPENDED +AGE")
        .containsPattern("seen ");
    assertThat(kubectl("get", "jobs")).containsPattern("seen-w-0 +Running +0/2 ");
    assertThat(kubectl("get", "jobs", "-o", "wide")).contains("CONTAINERS", "IMAGES", "SELECTOR");
    assertThat(kubectl("describe", "job", "seen-w-0")).contains("Parallelism:", "2 Active");
    assertThat(kubectl("describe", "jobset", "seen"))
        .contains("Current In Place Restart Attempt", "InPlaceRestart");
    assertThat(kubectl("get", "jobset", "seen", "-o", "yaml"))
        .contains("currentInPlaceRestartAttempt: 1\n");

    group.exitAll(1, 0);
    kubectl("wait", "--for=condition=Completed", "jobset/seen", "--timeout=60s");
    kubectl("wait", "--for=condition=Complete", "job/seen-w-0", "--timeout=60s");
    assertThat(kubectl("get", "jobset", "seen")).containsPattern("seen +Completed +1 +True ");
    assertThat(json("get", "jobs,pods,jobsets", "-o", "json").path("items")).isNotEmpty();
    assertThat(kubectl("delete", "-f", file.toString())).contains("\"seen\" deleted");
    kubectl("wait", "--for=delete", "job/seen-w-0", "--timeout=60s");
  }

  /** Without a token: kubectl calls a pod configured whose lists the server has added to. */
  private static String pod(String name, String text, Path shared) {
    return """
    apiVersion: v1
    kind: Pod
    metadata:
      name: %1$s
      labels: {text: %2$s}
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      containers:
      - name: main
        image: host
        command: [sh, -c, 'echo hello; %3$s; echo good bye; exit $code']
        volumeMounts: [{name: shared, mountPath: %4$s}]
      volumes: [{name: shared, hostPath: {path: %4$s}}]
    """
        .formatted(name, text, Fifo.read(shared + "/end"), shared);
  }

  private static String chatty(Path shared) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: chatty}
    spec:
      restartPolicy: Always
      containers:
      - name: main
        image: host
        terminationMessagePolicy: FallbackToLogsOnError
        command:
        - sh
        - -c
        - |
          if [ -e %1$s/end.1 ]; then echo again; %3$s; exit $code; fi
          seq -f %%099.0f 1 150000; %2$s; echo sorry; exit $code
        volumeMounts: [{name: shared, mountPath: %1$s}]
      volumes: [{name: shared, hostPath: {path: %1$s}}]
    """
        .formatted(shared, Fifo.read(shared + "/end.1"), Fifo.read(shared + "/end.2"));
  }

  private static void awaitLog(String pod, String end) throws Exception {
    cluster
        .kube()
        .awaitText(PODS + "/" + pod + "/log", "tailLines=1", log -> log.endsWith(end), LIMIT);
  }

  private static JsonNode json(String... arguments) throws Exception {
    return Kube.JSON.readTree(kubectl(arguments));
  }

  private static String kubectl(String... arguments) throws Exception {
    return new Kubectl(cluster.kubeconfig(), folder).run(arguments);
  }

  private static Program following(String... arguments) throws IOException {
    return new Kubectl(cluster.kubeconfig(), folder).start(arguments);
  }
}
