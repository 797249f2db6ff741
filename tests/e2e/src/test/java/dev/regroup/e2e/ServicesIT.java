package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.yaml.YamlDocuments;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods find each other and the API by the names and addresses of services. */
@Order(3)
class ServicesIT {

  private static final String SERVICES = "/api/v1/namespaces/default/services";
  private static final String SLICES =
      "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

  @TempDir static Path folder;

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
    cluster.kube().create(SERVICES, documented());
    serve("web-0");
    serve("web-1");
    awaitEndpoints();
  }

  private static void awaitEndpoints() throws Exception {
    cluster
        .kube()
        .await(
            SLICES,
            "labelSelector=kubernetes.io/service-name%3Dweb",
            slices ->
                slices.values().stream()
                        .flatMap(slice -> slice.path("endpoints").valueStream())
                        .filter(endpoint -> endpoint.at("/conditions/ready").asBoolean())
                        .count()
                    == 2,
            LIMIT);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void a_pod_reaches_others_and_the_api_also_after_a_crash() throws Exception {
    assertThat(fetch("before")).containsExactlyInAnyOrderElementsOf(expected());

    cluster.kill();
    cluster.start(); // at another port
    awaitProbes();

    assertThat(fetch("after")).containsExactlyInAnyOrderElementsOf(expected());
  }

  @Test
  void the_service_of_the_api_is_as_in_any_cluster() throws Exception {
    var kube = cluster.kube();

    assertThat(kube.get(SERVICES + "/kubernetes").at("/spec/clusterIP").asText())
        .isEqualTo("10.96.0.1");
    assertThat(kube.get(SLICES + "/kubernetes").at("/ports/0/port").asInt()).isEqualTo(port());
  }

  /**
   * A new program has not asked any pod yet whether it is ready. When it has run one of its own it
   * has said so, and then waits for the answers.
   */
  private static void awaitProbes() throws Exception {
    var kube = cluster.kube();
    kube.create(
        PODS,
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: new}
        spec:
          restartPolicy: Never
          containers: [{name: main, image: host, command: ["true"]}]
        """);
    kube.awaitOne(PODS, "new", pod -> pod.at("/status/phase").asText().equals("Succeeded"), LIMIT);
    for (String web : List.of("web-0", "web-1")) {
      kube.awaitOne(
          PODS,
          web,
          pod -> Kube.condition(pod, "Ready").path("status").asText().equals("True"),
          LIMIT);
    }
    awaitEndpoints();
  }

  /** The service the documentation shows. */
  private static String documented() throws Exception {
    String page = Files.readString(Path.of("../../docs/services.md"));
    int begin = page.indexOf("```yaml\n") + "```yaml\n".length();
    return page.substring(begin, page.indexOf("```", begin));
  }

  private static List<String> expected() {
    return List.of(
        "200 web-0",
        "200 web-1",
        "200 web-0 or web-1",
        "200 version",
        "200 ok",
        "403 system:anonymous");
  }

  /** What a new pod gets, in words that are the same each time. */
  private static List<String> fetch(String pod) throws Exception {
    var addresses =
        List.of(
            "http://web",
            "http://web.default.svc.cluster.local",
            "http://$(WEB_SERVICE_HOST):$(WEB_SERVICE_PORT_HTTP)",
            "https://kubernetes.default.svc/version",
            "https://$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)/readyz",
            "https://kubernetes/api/v1/secrets");
    var arguments =
        Stream.concat(Stream.of("fetch", authority().toString()), addresses.stream()).toList();
    cluster.kube().create(PODS, pod(pod, "client", arguments));
    cluster
        .kube()
        .awaitOne(
            PODS,
            pod,
            object -> List.of("Succeeded", "Failed").contains(object.at("/status/phase").asText()),
            LIMIT);
    var lines = cluster.kube().text(PODS + "/" + pod + "/log", "").lines().toList();
    assertThat(lines).hasSize(addresses.size());
    return Stream.concat(
            lines.subList(0, 2).stream(), // one after the other
            lines.subList(2, lines.size()).stream().map(ServicesIT::inWords))
        .toList();
  }

  private static String inWords(String line) {
    return line.replaceAll("200 web-[01]", "200 web-0 or web-1")
        .replaceAll("200 .*\"gitVersion\".*", "200 version")
        .replaceAll(
            "403 .*User \\\\\"system:anonymous\\\\\" cannot list resource.*",
            "403 system:anonymous");
  }

  private static void serve(String name) throws Exception {
    cluster.kube().create(PODS, pod(name, "web", List.of("serve", "8080")));
  }

  private static String pod(String name, String app, List<String> arguments) throws Exception {
    var classes =
        Path.of(WebProgram.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String command =
        Stream.concat(
                Stream.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    "/classes",
                    WebProgram.class.getName()),
                arguments.stream())
            .map(argument -> "'" + argument + "'")
            .collect(Collectors.joining(", "));
    String probe =
        app.equals("web")
            ? "readinessProbe: {httpGet: {port: page}, periodSeconds: 1, timeoutSeconds: 5}"
            : "";
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: %1$s, labels: {app: %2$s}}
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
      - name: main
        image: host
        command: [%3$s]
        ports: [{name: page, containerPort: 8080}]
        %4$s
        volumeMounts:
        - {name: classes, mountPath: /classes}
        - {name: shared, mountPath: %5$s}
      volumes:
      - {name: classes, hostPath: {path: %6$s}}
      - {name: shared, hostPath: {path: %5$s}}
    """
        .formatted(name, app, command, probe, shared(), classes);
  }

  /** The authority of the kubeconfig, where pods can read it. */
  private static Path authority() throws Exception {
    var data = kubeconfig("certificate-authority-data");
    return Files.write(shared().resolve("ca.crt"), Base64.getDecoder().decode(data));
  }

  private static Path shared() throws Exception {
    return Files.createDirectories(folder.resolve("shared"));
  }

  private static int port() throws Exception {
    return URI.create(kubeconfig("server")).getPort();
  }

  private static String kubeconfig(String field) throws Exception {
    var config = YamlDocuments.read(Files.readAllBytes(cluster.kubeconfig())).getFirst().root();
    return config.at("/clusters/0/cluster").path(field).asText();
  }
}
