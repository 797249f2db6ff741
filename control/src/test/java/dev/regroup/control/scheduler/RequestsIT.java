package dev.regroup.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.client.Request;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** What pods ask for against what the node has, with the real server and all controllers. */
@EveryRoad
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RequestsIT {

  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String EVENTS = "/api/v1/namespaces/default/events";
  private static final String NOT_HELPFUL =
      " no new claims to deallocate, preemption: 0/1 nodes are available:"
          + " 1 Preemption is not helpful for scheduling.";

  @Parameter Road road;
  @TempDir Path directory;

  private ControlPlane plane;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory, road);
    plane.post(
        "/api/v1/nodes", "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"unschedulable\":true}}");
    patch(
        "/api/v1/nodes/n/status",
        "{\"status\":{\"allocatable\":{\"cpu\":\"2\",\"memory\":\"4Gi\",\"pods\":\"10\"}}}");
    patch("/api/v1/nodes/n", "{\"spec\":{\"unschedulable\":false}}");
    awaitAccount();
    awaitOffer();
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  @Test
  void a_pod_that_asks_for_more_than_the_node_has_waits_and_says_so() throws Exception {
    pod("big", "\"requests\":{\"cpu\":\"64\"}");

    var condition = await(PODS, pod -> named(pod, "big") && unschedulable(pod)).at(CONDITION);
    assertThat(condition.path("status").asText()).isEqualTo("False");
    assertThat(condition.path("reason").asText()).isEqualTo("Unschedulable");
    assertThat(condition.path("message").asText())
        .isEqualTo("0/1 nodes are available: 1 Insufficient cpu." + NOT_HELPFUL);
    await(
        EVENTS,
        event ->
            event.path("reason").asText().equals("FailedScheduling")
                && event.path("type").asText().equals("Warning")
                && event.path("message").asText().contains("Insufficient cpu"));
  }

  @Test
  void a_device_that_no_node_has_keeps_the_pod_waiting() throws Exception {
    pod("gpu", "\"limits\":{\"nvidia.com/gpu\":\"1\"}");

    var condition = await(PODS, pod -> named(pod, "gpu") && unschedulable(pod)).at(CONDITION);
    assertThat(condition.path("message").asText())
        .isEqualTo("0/1 nodes are available: 1 Insufficient nvidia.com/gpu." + NOT_HELPFUL);
  }

  @Test
  void a_pod_waits_until_another_one_ends_and_then_goes() throws Exception {
    pod("first", "\"requests\":{\"cpu\":\"1500m\"}");
    await(PODS, pod -> named(pod, "first") && bound(pod));
    pod("second", "\"requests\":{\"cpu\":\"1\"}");
    var condition = await(PODS, pod -> named(pod, "second") && unschedulable(pod)).at(CONDITION);
    assertThat(condition.path("message").asText())
        .endsWith(
            "1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available:"
                + " 1 No preemption victims found for incoming pod.");

    patch(PODS + "/first/status", "{\"status\":{\"phase\":\"Succeeded\"}}");

    await(PODS, pod -> named(pod, "second") && bound(pod));
  }

  /** Claims of devices do not exist here; a pod that needs one must not run without. */
  @Test
  void a_pod_that_claims_devices_waits() throws Exception {
    plane.post(
        PODS,
        """
        {"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],
         "resourceClaims":[{"name":"gpu","resourceClaimName":"one"}]}}
        """);

    var condition = await(PODS, pod -> named(pod, "p") && unschedulable(pod)).at(CONDITION);
    assertThat(condition.path("message").asText())
        .isEqualTo(
            "0/1 nodes are available: could not find v1/ResourceClaim \"default/one\"."
                + NOT_HELPFUL);
  }

  /** Sixteen workers decide side by side; what one has promised the others must see. */
  @Test
  void a_crowd_never_gets_more_than_there_is() throws Exception {
    for (int i = 0; i < 12; i++) {
      pod("p" + i, "\"requests\":{\"cpu\":\"500m\"}");
    }

    for (int i = 0; i < 12; i++) {
      String name = "p" + i;
      await(PODS, pod -> named(pod, name) && (bound(pod) || unschedulable(pod)));
    }
    var pods = Wire.tree(plane.admin().send(Request.get(PODS, "")).body()).path("items");
    assertThat(pods).filteredOn(RequestsIT::bound).hasSize(4);
  }

  private static final String CONDITION = "/status/conditions/0";

  private void pod(String name, String resources) throws Exception {
    plane.post(
        PODS,
        """
        {"metadata":{"name":"%s"},"spec":{"containers":[
          {"name":"c","image":"i","command":["true"],"resources":{%s}}]}}
        """
            .formatted(name, resources));
  }

  private void patch(String path, String json) throws Exception {
    var request =
        Request.of("PATCH", path, "application/merge-patch+json", Wire.write(Wire.tree(json)));
    var response = plane.admin().send(request);
    assertThat(response.ok()).as("%s: %s", path, Wire.tree(response.body())).isTrue();
  }

  private void awaitAccount() throws Exception {
    await("/api/v1/namespaces/default/serviceaccounts", account -> named(account, "default"));
  }

  /** Until the scheduler knows what the node has: before, nobody can be bound to it. */
  private void awaitOffer() throws Exception {
    pod("scout", "");
    await(PODS, pod -> named(pod, "scout") && bound(pod));
    var now = "{\"gracePeriodSeconds\":0}".getBytes(StandardCharsets.UTF_8);
    plane.admin().send(Request.of("DELETE", PODS + "/scout", "application/json", now));
  }

  private static boolean named(JsonNode object, String name) {
    return object.at("/metadata/name").asText().equals(name);
  }

  private static boolean bound(JsonNode pod) {
    return pod.at("/spec/nodeName").asText().equals("n");
  }

  private static boolean unschedulable(JsonNode pod) {
    return pod.at(CONDITION + "/reason").asText().equals("Unschedulable");
  }

  /** Watches from the beginning until an object fits; the test's timeout ends the wait. */
  private JsonNode await(String path, Predicate<JsonNode> wanted) throws Exception {
    try (var stream = plane.admin().open(Request.get(path, "watch=1&resourceVersion=0"))) {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        var object = Wire.tree(frame).path("object");
        if (wanted.test(object)) {
          return object;
        }
      }
    }
    throw new AssertionError("the watch of " + path + " ended");
  }
}
