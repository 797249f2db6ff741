package dev.regroup.control.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.node.LeaseText;
import dev.regroup.api.node.NodeReader;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Headers;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Resource;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.Controllers;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import dev.regroup.control.jobset.JobSetPlace;
import dev.regroup.control.scheduler.Scheduler;
import dev.regroup.rules.node.NodeHealth.Said;
import dev.regroup.rules.node.NodeLossSettings;
import dev.regroup.rules.node.Taint;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Nodes that fall silent, against the real server; nobody runs what they have. */
@EveryRoad
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class NodeLossIT {

  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final ObjectKey NODE = ObjectKey.cluster("n1");

  @Parameter Road road;
  @TempDir Path directory;

  private final Semaphore refused = new Semaphore(0);
  private volatile boolean isFull;
  private ApiServer server;
  private Road.Way way;
  private ApiClient admin;
  private Controllers controllers;

  @BeforeEach
  void start() throws Exception {
    var random = RandomGenerator.getDefault();
    server =
        ApiServer.open(
            new ApiServer.Settings(
                ControlPlane.certified(directory),
                0,
                Gates.product(),
                InstantSource.system(),
                random));
    way = road.to(server);
    admin = new ApiClient(way.as(Identity.admin()));
    var account = Wire.object();
    account.putObject("metadata").put("name", "default");
    admin.create(Kinds.SERVICE_ACCOUNTS, "default", account);
  }

  @AfterEach
  void stop() throws Exception {
    if (controllers != null) {
      controllers.close();
    }
    way.close();
    server.close();
  }

  @Test
  void a_silent_node_is_unknown_until_it_says_otherwise_jb113() throws Exception {
    node();
    var own = "[{\"key\":\"mine\",\"effect\":\"NoSchedule\"}]";
    admin.mergePatch(Kinds.NODES, NODE, "{\"spec\":{\"taints\":%s}}".formatted(own));
    ready(pod("p", ""));
    control(GRACE, Optional.empty());

    var lost = await(Kinds.NODES, NODE, node -> NodeReader.said(node) == Said.UNKNOWN);

    var condition = StatusReader.condition(lost.path("status"), "Ready").orElseThrow();
    assertThat(condition.path("reason").asText()).isEqualTo("NodeStatusUnknown");
    assertThat(condition.path("message").asText())
        .isEqualTo("Kubelet stopped posting node status.");
    assertThat(NodeReader.taints(lost))
        .containsExactly(
            new Taint("mine", "", Taint.NO_SCHEDULE),
            new Taint("node.kubernetes.io/unreachable", "", Taint.NO_SCHEDULE),
            new Taint("node.kubernetes.io/unreachable", "", Taint.NO_EXECUTE));
    var pod = await(Kinds.PODS, key("p"), one -> !isTrue(one, "Ready"));
    assertThat(pod.path("metadata").has("deletionTimestamp")).as("it is tolerated").isFalse();

    var back = lost;
    do { // it falls silent again, on a busy machine before its taints are gone
      post("True");
      var told = awaitSince(back, Kinds.NODES, NODE, node -> NodeReader.said(node) == Said.READY);
      back = awaitSince(told, Kinds.NODES, NODE, NodeLossIT::isCleanOrUnknown);
    } while (NodeReader.said(back) == Said.UNKNOWN);
    assertThat(NodeReader.taints(back)).containsExactly(new Taint("mine", "", Taint.NO_SCHEDULE));
  }

  @Test
  void a_node_that_is_not_ready_says_so_itself_and_is_tainted_jb113() throws Exception {
    control(Duration.ofMinutes(1), Optional.empty());
    node();

    post("False");

    var node = await(Kinds.NODES, NODE, one -> NodeReader.taints(one).size() == 2);
    assertThat(NodeReader.taints(node))
        .extracting(Taint::key)
        .containsOnly("node.kubernetes.io/not-ready");
  }

  @Test
  void a_pod_is_deleted_when_it_has_tolerated_the_loss_for_long_enough_jb113() throws Exception {
    node();
    ready(pod("patient", ""));
    ready(
        pod(
            "quick",
            """
            "tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists",
              "effect":"NoExecute","tolerationSeconds":1}],
            """));
    control(GRACE, Optional.empty());

    var quick =
        await(Kinds.PODS, key("quick"), one -> one.path("metadata").has("deletionTimestamp"));

    var condition = StatusReader.condition(quick.path("status"), "DisruptionTarget").orElseThrow();
    assertThat(condition.path("reason").asText()).isEqualTo("DeletionByTaintManager");
    assertThat(NodeReader.said(admin.get(Kinds.NODES, NODE).orElseThrow())).isEqualTo(Said.UNKNOWN);
    var patient = admin.get(Kinds.PODS, key("patient")).orElseThrow();
    assertThat(patient.path("metadata").has("deletionTimestamp")).isFalse();
    assertThat(NodeReader.tolerations(patient.path("spec")))
        .as("admission adds what Kubernetes adds")
        .extracting(one -> one.limit().orElseThrow())
        .containsExactly(Duration.ofSeconds(300), Duration.ofSeconds(300));
  }

  @Test
  void pods_of_a_lost_node_fail_in_time_where_that_is_set_js136() throws Exception {
    node();
    ready(pod("p", ""));
    control(GRACE, Optional.of(Duration.ofSeconds(1)));

    var pod = await(Kinds.PODS, key("p"), one -> phase(one).equals("Failed"));

    assertThat(pod.path("status").path("reason").asText()).isEqualTo("NodeLost");
    assertThat(isTrue(pod, "DisruptionTarget")).as("its Job replaces it at once (JB-84)").isTrue();
    assertThat(isTrue(pod, "Ready")).isFalse();
    assertThat(pod.path("metadata").has("deletionTimestamp")).isFalse();
  }

  @Test
  void nobody_is_lost_while_the_api_takes_no_writes() throws Exception {
    isFull = true;
    control(GRACE, Optional.of(Duration.ofSeconds(1)));
    node();

    refused.acquire(2); // twice the grace is over

    assertThat(NodeReader.said(admin.get(Kinds.NODES, NODE).orElseThrow())).isEqualTo(Said.READY);
    isFull = false;
    await(Kinds.NODES, NODE, node -> NodeReader.said(node) == Said.UNKNOWN);
  }

  private void control(Duration grace, Optional<Duration> forceFailAfter) {
    controllers =
        Controllers.start(
            name -> full(way.as(Identity.controller(name))),
            new Controllers.Settings(
                Gates.product(),
                InstantSource.system(),
                RandomGenerator.getDefault(),
                CrashPoint.NONE,
                Scheduler.Requests.WEIGHED,
                new NodeLossSettings(grace, forceFailAfter, NodeLossSettings.Groups.RESTART),
                BugFiles.NONE,
                Metrics.NONE,
                JobSetPlace.LOCAL),
            EnumSet.of(Controllers.Part.NODES, Controllers.Part.LOST_PODS));
  }

  /** Leases find no room, as on a full disk; nodes and their status do. */
  private Transport full(Transport real) {
    return new Transport() {
      @Override
      public Response send(Request request) throws Unreachable, InterruptedException {
        if (isFull && !request.method().equals("GET") && request.path().contains("/leases")) {
          refused.release();
          var status = Wire.object().put("kind", "Status").put("code", 503);
          return new Response(503, Headers.NONE, Wire.write(status));
        }
        return real.send(request);
      }

      @Override
      public Stream open(Request request) throws Unreachable, InterruptedException {
        return real.open(request);
      }
    };
  }

  private void node() throws Exception {
    var node = Wire.object();
    node.putObject("metadata").put("name", NODE.name());
    admin.create(Kinds.NODES, "", node);
    post("True");
    var renewal = LeaseText.renewal(NODE.name(), GRACE, Instant.now());
    admin.create(
        Kinds.LEASES, "kube-node-lease", LeaseText.object(renewal, "kube-node-lease", NODE.name()));
  }

  /** What the node says about itself. */
  private static boolean isCleanOrUnknown(ObjectNode node) {
    return NodeReader.taints(node).size() == 1 || NodeReader.said(node) == Said.UNKNOWN;
  }

  private void post(String ready) throws Exception {
    admin.mergePatchStatus(
        Kinds.NODES,
        NODE,
        """
        {"status":{"conditions":[{"type":"Ready","status":"%s","reason":"Said",
          "lastHeartbeatTime":"%s","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}
        """
            .formatted(ready, Instant.now().truncatedTo(ChronoUnit.SECONDS)));
  }

  private ObjectKey pod(String name, String more) throws Exception {
    admin.create(
        Kinds.PODS,
        "default",
        Wire.tree(
            """
            {"metadata":{"name":"%s"},
             "spec":{"nodeName":"n1",%s"containers":[{"name":"c","image":"i"}]}}
            """
                .formatted(name, more)));
    return key(name);
  }

  private void ready(ObjectKey pod) throws Exception {
    admin.mergePatchStatus(
        Kinds.PODS,
        pod,
        """
        {"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True",
          "lastTransitionTime":"2026-01-01T00:00:00Z"}]}}
        """);
  }

  private static ObjectKey key(String name) {
    return new ObjectKey("default", name);
  }

  private static String phase(JsonNode pod) {
    return pod.path("status").path("phase").asText();
  }

  private static boolean isTrue(JsonNode object, String condition) {
    return StatusReader.condition(object.path("status"), condition)
        .map(StatusReader::isTrue)
        .orElse(false);
  }

  private ObjectNode await(Resource<?> kind, ObjectKey key, Predicate<ObjectNode> wanted)
      throws Exception {
    return awaitSince(Wire.object(), kind, key, wanted);
  }

  /** The first revision after this one that fits; of an empty object, the present one counts. */
  private ObjectNode awaitSince(
      ObjectNode seen, Resource<?> kind, ObjectKey key, Predicate<ObjectNode> wanted)
      throws Exception {
    var path = kind.path(key.namespace());
    var query =
        "watch=1&fieldSelector=metadata.name%3D"
            + key.name()
            + "&resourceVersion="
            + seen.at("/metadata/resourceVersion").asText();
    try (var stream = admin.transport().open(Request.get(path, query))) {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        if (Wire.tree(frame).path("object") instanceof ObjectNode object && wanted.test(object)) {
          return object;
        }
      }
    }
    throw new AssertionError("the watch ended");
  }
}
