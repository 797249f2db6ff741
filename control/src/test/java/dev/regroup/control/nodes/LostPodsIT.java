package dev.regroup.control.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.rules.node.PodAbandonment;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Against the real server. */
@EveryRoad
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LostPodsIT {
  private static final String PODS = "/api/v1/namespaces/default/pods";

  @Parameter Road road;
  @TempDir Path directory;

  @Test
  void a_pod_fails_and_goes_when_its_node_is_gone_deleted_or_not_jb114_bs44() throws Exception {
    var random = RandomGenerator.getDefault();
    var settings =
        new ApiServer.Settings(directory, 0, Gates.product(), InstantSource.system(), random);
    ControlPlane.certified(directory);
    try (var server = ApiServer.open(settings);
        var way = road.to(server);
        var feeds = new SharedFeeds(way.as(Identity.controller("test")), random);
        var awake = new Awake(feeds, Duration.ofMillis(100));
        var events =
            new EventRecorder(
                way.as(Identity.controller("test")),
                EventRecorder.Source.of("test"),
                InstantSource.system());
        var _ =
            new LostPods(
                feeds,
                way.as(Identity.controller("test")),
                new PodFeed(feeds, Set.of()),
                events,
                InstantSource.system(),
                awake,
                LostPods.Settings.all(
                    new PodAbandonment.Patience(Duration.ofMillis(50), Optional.empty())))) {
      feeds.start();
      var admin = way.as(Identity.admin());
      send(
          admin,
          "POST",
          "/api/v1/namespaces/default/serviceaccounts",
          "{\"metadata\":{\"name\":\"default\"}}");
      send(admin, "POST", "/api/v1/nodes", "{\"metadata\":{\"name\":\"n1\"}}");
      send(admin, "POST", PODS, pod("ends"));
      send(admin, "POST", PODS, pod("lives"));
      send(admin, "DELETE", PODS + "/ends", "{}");
      var marked = new ApiClient(admin).get(Kinds.PODS, new ObjectKey("default", "ends"));
      assertThat(marked).isPresent();

      send(admin, "DELETE", "/api/v1/nodes/n1", "{}");

      String since = marked.get().at("/metadata/resourceVersion").asText();
      for (String name : List.of("ends", "lives")) {
        var last = awaitGone(admin, name, since);
        assertThat(last.at("/status/phase").asText()).as(name).isEqualTo("Failed");
        assertThat(last.at("/status/conditions/0/reason").asText()).isEqualTo("DeletionByPodGC");
      }
    }
  }

  /** Beside all other controllers, which would wait for the node's return for 40 s. */
  @Test
  void a_job_that_ignores_disruptions_replaces_a_pod_of_a_vanished_node_bs44() throws Exception {
    var random = RandomGenerator.getDefault();
    try (var plane = new ControlPlane(directory, road);
        var feeds = new SharedFeeds(plane.admin(), random);
        var awake = new Awake(feeds, Duration.ofMillis(100));
        var events =
            new EventRecorder(
                plane.admin(), EventRecorder.Source.of("test"), InstantSource.system());
        var _ =
            new LostPods(
                feeds,
                plane.admin(),
                new PodFeed(feeds, Set.of()),
                events,
                InstantSource.system(),
                awake,
                LostPods.Settings.all(
                    new PodAbandonment.Patience(Duration.ofMillis(50), Optional.empty())))) {
      feeds.start();
      var admin = new ApiClient(plane.admin());
      plane.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n1\"}}");
      plane.post(
          "/apis/batch/v1/namespaces/default/jobs",
          """
          {"metadata":{"name":"a"},"spec":{"backoffLimit":0,
           "podFailurePolicy":{"rules":[{"action":"Ignore",
            "onPodConditions":[{"type":"DisruptionTarget","status":"True"}]}]},
           "template":{"spec":{"restartPolicy":"Never","schedulerName":"nobody",
            "containers":[{"name":"c","image":"i"}]}}}}
          """);
      var pod = awaitOther(plane.admin(), "");
      String name = pod.at("/metadata/name").asText();
      plane.post(
          PODS + "/" + name + "/binding",
          "{\"metadata\":{\"name\":\"%s\"},\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}"
              .formatted(name));

      send(plane.admin(), "DELETE", "/api/v1/nodes/n1", "{}");

      var last = awaitGone(plane.admin(), name, pod.at("/metadata/resourceVersion").asText());
      assertThat(last.at("/status/phase").asText()).isEqualTo("Failed");
      assertThat(last.at("/status/conditions").toString())
          .contains("DisruptionTarget", "DeletionByPodGC");
      var next = awaitOther(plane.admin(), name);
      assertThat(next.at("/metadata/ownerReferences/0/name").asText()).isEqualTo("a");
      var job = admin.get(Kinds.JOBS, new ObjectKey("default", "a")).orElseThrow();
      assertThat(job.at("/status/failed").asInt()).isZero();
      assertThat(job.at("/status/conditions").toString()).doesNotContain("Fail");
    }
  }

  /** A pod with another name. */
  private static JsonNode awaitOther(Transport admin, String name) throws Exception {
    try (var stream = admin.open(Request.get(PODS, "watch=1&resourceVersion=0"))) {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        var pod = Wire.tree(frame).path("object");
        if (!pod.at("/metadata/name").asText().equals(name)) {
          return pod;
        }
      }
    }
    throw new AssertionError("the watch ended");
  }

  private static JsonNode awaitGone(Transport admin, String name, String since) throws Exception {
    try (var stream = admin.open(Request.get(PODS, "watch=1&resourceVersion=" + since))) {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        var event = Wire.tree(frame);
        if (event.path("type").asText().equals("DELETED")
            && event.at("/object/metadata/name").asText().equals(name)) {
          return event.path("object");
        }
      }
    }
    throw new AssertionError("the watch ended");
  }

  private static String pod(String name) {
    return """
    {"metadata":{"name":"%s"},
     "spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}}
    """
        .formatted(name);
  }

  private static void send(Transport admin, String method, String path, String json)
      throws Exception {
    var request = Request.of(method, path, "application/json", Wire.write(Wire.tree(json)));
    var response = admin.send(request);
    assertThat(response.ok()).as("%s %s: %s", method, path, response).isTrue();
  }
}
