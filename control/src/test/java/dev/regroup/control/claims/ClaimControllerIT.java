package dev.regroup.control.claims;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Protection of claims with the real controllers and the real server in one process. */
@EveryRoad
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ClaimControllerIT {
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";

  @Parameter Road road;
  @TempDir Path directory;

  private ControlPlane plane;
  private Transport transport;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory, road);
    transport = plane.admin();
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  @Test
  void a_deleted_claim_stays_until_no_pod_uses_it() throws Exception {
    plane.post(
        CLAIMS,
        """
        {"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
         "resources":{"requests":{"storage":"1Gi"}}}}
        """);
    plane.post(
        "/api/v1/namespaces/default/pods",
        """
        {"metadata":{"name":"p"},"spec":{"schedulerName":"nobody",
         "containers":[{"name":"c","image":"i"}],
         "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}}
        """);

    transport.send(Request.of("DELETE", CLAIMS + "/data", "application/json", new byte[0]));
    var marked = new ApiClient(transport).get(Kinds.CLAIMS, new ObjectKey("default", "data"));
    assertThat(marked.orElseThrow().at("/metadata/finalizers/0").asText())
        .isEqualTo("kubernetes.io/pvc-protection");
    String path = "/api/v1/namespaces/default/pods/p";
    transport.send(Request.of("DELETE", path, "application/json", new byte[0]));

    String since = marked.get().at("/metadata/resourceVersion").asText();
    try (var stream = transport.open(Request.get(CLAIMS, "watch=1&resourceVersion=" + since))) {
      var type = "";
      for (byte[] frame = stream.next(); frame != null && !type.equals("DELETED"); ) {
        type = Wire.tree(frame).path("type").asText();
        frame = type.equals("DELETED") ? frame : stream.next();
      }
      assertThat(type).isEqualTo("DELETED");
    }
  }

  @Test
  void a_claim_is_bound_when_its_first_pod_comes_and_then_the_pod_goes() throws Exception {
    plane.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n\"}}");
    plane.post(CLAIMS, claim("data", "\"accessModes\":[\"ReadWriteOnce\"]"));

    pod("p", "data");

    var claim = await(CLAIMS, "data", object -> phase(object).equals("Bound"));
    assertThat(claim.at("/spec/volumeName").asText())
        .isEqualTo("pvc-" + claim.at("/metadata/uid").asText());
    assertThat(claim.at("/status/capacity/storage").asText()).isEqualTo("1Gi");
    assertThat(claim.at("/status/accessModes/0").asText()).isEqualTo("ReadWriteOnce");
    await(PODS, "p", pod -> pod.at("/spec/nodeName").asText().equals("n"));
  }

  @Test
  void a_pod_without_its_claim_waits_until_there_is_one() throws Exception {
    plane.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n\"}}");
    pod("p", "data");
    await(
        PODS,
        "p",
        pod ->
            message(pod)
                .equals(
                    "0/1 nodes are available: persistentvolumeclaim \"data\" not found."
                        + " no new claims to deallocate, preemption: 0/1 nodes are available:"
                        + " 1 Preemption is not helpful for scheduling."));

    plane.post(CLAIMS, claim("data", "\"accessModes\":[\"ReadWriteOnce\"]"));

    await(PODS, "p", pod -> pod.at("/spec/nodeName").asText().equals("n"));
  }

  @Test
  void a_claim_of_a_class_nobody_has_says_so_and_its_pod_waits() throws Exception {
    plane.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n\"}}");
    plane.post(
        CLAIMS, claim("data", "\"storageClassName\":\"gp3\",\"accessModes\":[\"ReadWriteOnce\"]"));
    pod("p", "data");

    await(
        PODS,
        "p",
        pod -> message(pod).contains("pod has unbound immediate PersistentVolumeClaims"));
    try (var stream =
        transport.open(
            Request.get("/api/v1/namespaces/default/events", "watch=1&resourceVersion=0"))) {
      var message = "";
      for (byte[] frame = stream.next(); !message.contains("gp3"); frame = stream.next()) {
        var event = Wire.tree(frame).path("object");
        message =
            event.path("reason").asText().equals("ProvisioningFailed")
                ? event.path("message").asText()
                : "";
      }
      assertThat(message).startsWith("storageclass.storage.k8s.io \"gp3\" not found");
    }
  }

  private static String claim(String name, String fields) {
    return """
    {"metadata":{"name":"%s"},"spec":{%s,"resources":{"requests":{"storage":"1Gi"}}}}
    """
        .formatted(name, fields);
  }

  private void pod(String name, String claim) throws Exception {
    plane.post(
        PODS,
        """
        {"metadata":{"name":"%s"},"spec":{"containers":[{"name":"c","image":"i"}],
         "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"%s"}}]}}
        """
            .formatted(name, claim));
  }

  private static String phase(JsonNode object) {
    return object.at("/status/phase").asText();
  }

  private static String message(JsonNode pod) {
    return pod.at("/status/conditions/0/message").asText();
  }

  /** Watches from the beginning; the test's timeout ends the wait. */
  private JsonNode await(String path, String name, Predicate<JsonNode> wanted) throws Exception {
    try (var stream = transport.open(Request.get(path, "watch=1&resourceVersion=0"))) {
      while (true) {
        var object = Wire.tree(requireNonNull(stream.next())).path("object");
        if (object.at("/metadata/name").asText().equals(name) && wanted.test(object)) {
          return object;
        }
      }
    }
  }
}
