package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.regroup.client.Headers;
import dev.regroup.client.Transport;
import dev.regroup.server.TestServer.Carrier;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands people type, with the real {@code kubectl} (1.30 or newer) from the path. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KubectlIT {
  @TempDir static Path directory = Path.of("");
  private static @Nullable TestServer server;

  @BeforeAll
  static void start() throws Exception {
    boolean there = hasKubectl();
    if (!there) {
      System.err.println("KubectlIT is skipped: no kubectl 1.30 or newer in the path");
    }
    assumeTrue(there, "kubectl 1.30 or newer in the path");
    server = TestServer.start(directory.resolve("data"));
    server.kubeconfig(directory.resolve("kubeconfig"));
    server
        .admin(Carrier.IN_PROCESS)
        .post("/api/v1/namespaces/default/serviceaccounts", "{'metadata':{'name':'default'}}")
        .expect(201);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void applies_new_and_changed_objects() throws Exception {
    var manifest =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: applied, labels: {app: t}}
        spec:
          containers:
          - {name: a, image: "i:1"}
          - {name: b, image: "i:1"}
        ---
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {name: js, labels: {l: "1"}}
        spec:
          replicatedJobs:
          - name: w
            template:
              spec:
                completionMode: Indexed
                template:
                  spec: {restartPolicy: Never, containers: [{name: a, image: i}]}
        """;
    var file = Files.writeString(directory.resolve("m.yaml"), manifest);

    var first = kubectl("apply", "-f", file.toString());
    Files.writeString(
        file,
        manifest
            .replace("name: b, image: \"i:1\"", "name: b, image: \"i:2\"")
            .replace("l: \"1\"", "l: \"2\""));
    var second = kubectl("apply", "-f", file.toString());

    assertThat(first).contains("pod/applied created", "jobset.jobset.x-k8s.io/js created");
    assertThat(second).contains("pod/applied configured", "jobset.jobset.x-k8s.io/js configured");
    assertThat(kubectl("get", "pod", "applied", "-o", "jsonpath={.spec.containers[*].image}"))
        .isEqualTo("i:1 i:2");
    assertThat(kubectl("get", "jobset", "js", "-o", "jsonpath={.metadata.labels.l}"))
        .isEqualTo("2");
  }

  @Test
  void shows_labels_waits_and_deletes() throws Exception {
    kubectl("run", "shown", "--image=i");
    kubectl("label", "pod", "shown", "color=red");
    kubectl("annotate", "pod", "shown", "note=x");

    assertThat(kubectl("get", "pods", "-l", "color=red", "-o", "wide"))
        .containsPattern("NAME +READY +STATUS +RESTARTS +AGE +IP +NODE")
        .containsPattern("shown +0/1 +Pending +0 ");
    assertThat(kubectl("get", "pod", "shown", "-o", "yaml")).contains("note: x", "color: red");
    assertThat(kubectl("describe", "pod", "shown")).contains("Labels:", "color=red");
    assertThat(kubectl("delete", "pod", "shown")).contains("pod \"shown\" deleted");
    kubectl("wait", "--for=delete", "pod/shown", "--timeout=60s");
  }

  @Test
  void watches_until_it_is_stopped() throws Exception {
    var process = start("get", "configmaps", "-w", "--output-watch-events");
    try (var lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      kubectl("create", "configmap", "watched", "--from-literal=a=b");

      String line;
      do {
        line = lines.readLine();
      } while (line != null && !line.contains("watched"));
      assertThat(line).containsPattern("ADDED +watched +1 ");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void follows_a_log() throws Exception {
    var lines = new SynchronousQueue<String>();
    Objects.requireNonNull(server).server().connectNodes((_, options) -> new Following(lines));
    Objects.requireNonNull(server)
        .admin(Carrier.IN_PROCESS)
        .post("/api/v1/namespaces/default/pods", ApiServerIT.pod("logged", "n1"))
        .expect(201);
    var process = start("logs", "-f", "logged");
    try (var output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      lines.put("one\n");
      assertThat(output.readLine()).isEqualTo("one");
      lines.put("two\n");
      assertThat(output.readLine()).isEqualTo("two");
      lines.put("");
      assertThat(output.readLine()).isNull();
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void lists_and_explains_resources_and_refuses_misspelled_fields() throws Exception {
    assertThat(kubectl("api-resources", "-o", "name"))
        .contains("pods", "jobs.batch", "jobsets.jobset.x-k8s.io");
    assertThat(kubectl("explain", "pod.spec.restartPolicy")).contains("OnFailure");
    assertThat(kubectl("create", "namespace", "made")).contains("namespace/made created");
    var wrong =
        Files.writeString(
            directory.resolve("w.json"),
            """
            {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"w"},"daata":{}}\
            """);
    assertThat(run("apply", "-f", wrong.toString()))
        .contains("strict decoding error: unknown field \"daata\"");
  }

  private static String kubectl(String... arguments) throws Exception {
    var process = start(arguments);
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", List.of(arguments), output).isZero();
    return output;
  }

  /** The output, whatever the exit code. */
  private static String run(String... arguments) throws Exception {
    var process = start(arguments);
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }

  private static Process start(String... arguments) throws IOException {
    var command = new ArrayList<>(List.of("kubectl"));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("KUBECONFIG", directory.resolve("kubeconfig").toString());
    builder.environment().put("HOME", directory.toString()); // its cache goes with the test
    return builder.start();
  }

  private static boolean hasKubectl() throws InterruptedException {
    try {
      var process =
          new ProcessBuilder("kubectl", "version", "--client").redirectErrorStream(true).start();
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      var found = java.util.regex.Pattern.compile("v1\\.(\\d+)").matcher(output);
      return found.find() && Integer.parseInt(found.group(1)) >= 30;
    } catch (IOException e) {
      return false;
    }
  }

  /** A log that grows as the test says; an empty line is its end. */
  private record Following(SynchronousQueue<String> lines) implements Transport.Stream {
    @Override
    public int status() {
      return 200;
    }

    @Override
    public Headers headers() {
      return Headers.NONE;
    }

    @Override
    public byte @Nullable [] next() throws InterruptedException {
      var line = lines.take();
      return line.isEmpty() ? null : line.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {}
  }
}
