package dev.regroup.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Against the real server. */
@EveryRoad
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SchedulerIT {

  private static final String PODS = "/api/v1/namespaces/default/pods";

  @Parameter Road road;
  @TempDir Path directory;

  /** Lists nodes only after all pods have been looked at for the first time. */
  private record SlowNodes(Transport transport, CountDownLatch podsKnown) implements Transport {

    @Override
    public Response send(Request request) throws Unreachable, InterruptedException {
      if (request.path().equals("/api/v1/nodes")) {
        podsKnown.await();
      }
      return transport.send(request);
    }

    @Override
    public Stream open(Request request) throws Unreachable, InterruptedException {
      if (request.path().equals("/api/v1/pods")) {
        podsKnown.countDown();
      }
      return transport.open(request);
    }
  }

  @Test
  void a_pod_that_was_there_before_the_nodes_were_known_is_not_forgotten() throws Exception {
    var random = RandomGenerator.getDefault();
    var clock = InstantSource.system();
    var settings = new ApiServer.Settings(directory, 0, Gates.product(), clock, random);
    ControlPlane.certified(directory);
    try (var server = ApiServer.open(settings);
        var way = road.to(server)) {
      var admin = way.as(Identity.admin());
      post(
          admin,
          "/api/v1/namespaces/default/serviceaccounts",
          "{\"metadata\":{\"name\":\"default\"}}");
      post(
          admin,
          PODS,
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
      var slow = new SlowNodes(way.as(Identity.controller("test")), new CountDownLatch(1));
      try (var events =
              new EventRecorder(slow, EventRecorder.Source.of("default-scheduler"), clock);
          var feeds = new SharedFeeds(slow, random);
          var _ = new Scheduler(feeds, slow, events, clock, Scheduler.Requests.WEIGHED);
          var stream = admin.open(Request.get(PODS, "watch=1"))) {
        feeds.start();

        String told = "";
        while (told.isEmpty()) {
          told = Wire.tree(stream.next()).at("/object/status/conditions/0/message").asText();
        }
        assertThat(told).contains("no nodes available to schedule pods");
      }
    }
  }

  private static void post(Transport admin, String path, String json) throws Exception {
    var request = Request.of("POST", path, "application/json", Wire.write(Wire.tree(json)));
    assertThat(admin.send(request).ok()).as(path).isTrue();
  }
}
