package dev.regroup.node.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.StatusGuard;
import dev.regroup.client.ApiClient;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.event.EventRecorder.Source;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.node.FakeRuntime;
import dev.regroup.node.env.Configs;
import dev.regroup.node.group.Groups;
import dev.regroup.node.image.HostImages;
import dev.regroup.node.pod.NodeDisk;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.NodeServices;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.pod.RestartTelling;
import dev.regroup.node.pod.StartsFirst;
import dev.regroup.node.progress.ProgramWatch;
import dev.regroup.node.report.RecordingTransport;
import dev.regroup.node.service.KnownServices;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.runtime.PodUid;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** One pod with its worker, driver, planner and reporter; runtime and API server are fakes. */
abstract class OnePod {

  static final PodUid UID = new PodUid("u1");
  static final Duration SOON = Duration.ofSeconds(30);

  @TempDir Path directory;
  CrashPoint crashPoint = CrashPoint.NONE;

  final RecordingTransport transport = new RecordingTransport();
  final FakeRuntime runtime = new FakeRuntime();
  final NodeDisk disk = new NodeDisk();
  final ProgramWatch programs = new ProgramWatch(InstantSource.system());
  final ApiClient api = new ApiClient(transport);
  volatile GroupOrders orders = GroupOrders.UNKNOWN;
  final List<String> moments = new CopyOnWriteArrayList<>();
  final List<String> figures = new CopyOnWriteArrayList<>();
  final EventRecorder events =
      new EventRecorder(transport, Source.of("kubelet").at("n1"), InstantSource.system());
  final Pokes pokes = new Pokes();
  Configs configs = NO_CONFIGS;
  final KnownServices known = new KnownServices();
  @Nullable PodDriver driver;
  @Nullable PodWorker worker;

  @AfterEach
  void end() throws Exception {
    stopNode();
    programs.close();
    events.close();
    disk.stop();
  }

  static final String RESTART_ALL_ON_42 =
      """
      "restartPolicy":"Never","restartPolicyRules":[{"action":"RestartAllContainers",
      "exitCodes":{"operator":"In","values":[42]}}],\
      """;

  void start(JsonNode pod) throws Exception {
    var services =
        new NodeServices(
            "n1",
            "10.0.0.1",
            BigDecimal.TWO,
            BigDecimal.valueOf(1 << 30),
            directory,
            runtime,
            HostImages.NONE_YET,
            api,
            events,
            configs,
            (_, _, claim) -> directory.resolve(claim),
            groups(),
            disk,
            InstantSource.system(),
            (_, _, moment, _) -> moments.add(moment.name()),
            (family, _, labels) -> figures.add(family.name() + " " + List.of(labels)),
            RestartTelling.ANNOTATED,
            programs,
            new StatusGuard(NodeSettings.product().gates()),
            new StartsFirst(),
            _ -> "",
            known);
    var newDriver = new PodDriver(NodePod.read(pod), services, NodeSettings.product(), pokes);
    runtime.onChange(_ -> pokes.poke());
    runtime.onOutput(programs::wrote);
    var setting =
        new PodWorker.Setting(
            NodeSettings.product(),
            InstantSource.system(),
            RandomGenerator.getDefault(),
            crashPoint,
            BugFiles.in(directory.resolve("bugs"), InstantSource.system()));
    var newWorker = new PodWorker("ns/p", newDriver, pokes, setting);
    newWorker.start();
    driver = newDriver;
    worker = newWorker;
  }

  void stopNode() throws InterruptedException {
    requireNonNull(worker).stop();
    requireNonNull(driver).stop();
  }

  Groups groups() {
    return new Groups() {
      @Override
      public GroupOrders orders(Pod pod) {
        return orders;
      }

      @Override
      public Map<String, String> rendezvous(Pod pod) {
        return Map.of("RANK", "7", "MASTER_PORT", "29500");
      }
    };
  }

  static void awaitContent(Path file, String wanted) throws TimeoutException {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (System.nanoTime() < deadline) {
      try {
        if (Files.readString(file).equals(wanted)) {
          return;
        }
      } catch (IOException e) {
        // it was just being replaced
      }
      Thread.yield();
    }
    throw new TimeoutException(file + " is not " + wanted);
  }

  static final Configs NO_CONFIGS =
      new Configs() {
        @Override
        public Optional<Map<String, byte[]>> configMap(String namespace, String name) {
          return Optional.empty();
        }

        @Override
        public Optional<Map<String, byte[]>> secret(String namespace, String name) {
          return Optional.empty();
        }
      };

  static String container(String name, String command, String argument) {
    var arguments = argument.isEmpty() ? "" : ",\"" + argument + "\"";
    return "{\"name\":\"%s\",\"image\":\"i\",\"command\":[\"%s\"%s]}"
        .formatted(name, command, arguments);
  }

  static JsonNode pod(String policy, String firstContainer, String... containers) {
    var list = String.join(",", containers).replaceFirst("\\{", "{" + firstContainer);
    return Wire.tree(
        """
        {"metadata":{"name":"p","namespace":"ns","uid":"u1","generation":1,"resourceVersion":"1"},
        "spec":{"restartPolicy":"%s","terminationGracePeriodSeconds":1,"containers":[%s]}}
        """
            .formatted(policy, list));
  }

  static JsonNode member(String container) {
    var pod = Wire.tree(pod("Never", RESTART_ALL_ON_42, container).toString());
    pod.withObject("/metadata/labels").put("jobset.sigs.k8s.io/jobset-name", "js");
    pod.withObject("/metadata/annotations")
        .put("jobset.sigs.k8s.io/inject-in-place-restart-agent", "node");
    return pod;
  }

  static ObjectNode withStatus(JsonNode pod, JsonNode status) {
    var tree = Wire.tree(pod.toString());
    tree.set("status", status);
    return tree;
  }

  static JsonNode withImage(JsonNode pod, String image) {
    return Wire.tree(pod.toString().replace("\"image\":\"i\"", "\"image\":\"" + image + "\""));
  }

  static NodePod deleted(JsonNode pod) {
    return deleted(pod, 0);
  }

  static NodePod deleted(JsonNode pod, int left) {
    var tree = Wire.tree(pod.toString());
    tree.withObject("/metadata")
        .put("deletionTimestamp", java.time.Instant.now().plusSeconds(left).toString())
        .put("deletionGracePeriodSeconds", left + 1);
    return NodePod.read(tree);
  }

  List<JsonNode> statuses() {
    return transport.sent().stream()
        .filter(sent -> sent.path().endsWith("/pods/p/status"))
        .map(sent -> sent.body().path("status"))
        .toList();
  }

  JsonNode latest() {
    return statuses().getLast();
  }

  List<String> phases() {
    return distinct(statuses().stream().map(status -> status.path("phase").asText()).toList());
  }

  List<String> conditions(String type) {
    return distinct(statuses().stream().map(status -> condition(status, type)).toList());
  }

  static List<String> distinct(List<String> values) {
    var changes = new ArrayList<String>();
    for (var value : values) {
      if (changes.isEmpty() || !changes.getLast().equals(value)) {
        changes.add(value);
      }
    }
    return changes;
  }

  String attempt() {
    return annotation("jobset.sigs.k8s.io/in-place-restart-attempt").orElse("");
  }

  Optional<String> annotation(String key) {
    return transport.sent().reversed().stream()
        .map(sent -> sent.body().path("metadata").path("annotations").path(key).asText(""))
        .filter(value -> !value.isEmpty())
        .findFirst();
  }

  JsonNode await(Predicate<JsonNode> wanted) throws Exception {
    int seen = transport.sent().size();
    long deadline = System.nanoTime() + SOON.toNanos();
    while (System.nanoTime() < deadline) {
      var all = statuses();
      if (!all.isEmpty() && wanted.test(all.getLast())) {
        return all.getLast();
      }
      seen = transport.awaitMore(seen, deadline);
    }
    throw new TimeoutException("last status: " + (statuses().isEmpty() ? "none" : latest()));
  }

  void awaitRequest(Predicate<RecordingTransport.Sent> wanted) throws Exception {
    int seen = 0;
    long deadline = System.nanoTime() + SOON.toNanos();
    while (transport.sent().stream().noneMatch(wanted)) {
      seen = transport.awaitMore(seen, deadline);
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  static String condition(JsonNode status, String type) {
    for (var condition : status.path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition.path("status").asText();
      }
    }
    return "";
  }

  static JsonNode container(JsonNode status, String name) {
    for (var container : status.path("containerStatuses")) {
      if (container.path("name").asText().equals(name)) {
        return container;
      }
    }
    return Wire.object();
  }

  static int count(JsonNode status, String name) {
    return container(status, name).path("restartCount").asInt(-1);
  }

  static String waiting(JsonNode status, String name) {
    return container(status, name).path("state").path("waiting").path("reason").asText("");
  }
}
