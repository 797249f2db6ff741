package dev.regroup.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Gates;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.control.Controllers.Part;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** What controllers watch, all together and some alone, against the real server. */
@EveryRoad
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ControllersIT {

  private static final String PODS = "/api/v1/pods";
  private static final Set<String> OF_JOB_SETS =
      Set.of(
          PODS,
          "/api/v1/nodes",
          "/api/v1/services",
          "/apis/batch/v1/jobs",
          "/apis/jobset.x-k8s.io/v1alpha2/jobsets");

  @Parameter Road road;
  @TempDir Path directory;

  private final LinkedBlockingQueue<String> watched = new LinkedBlockingQueue<>();

  /** Writes down what is watched. */
  private record Watchful(Transport transport, LinkedBlockingQueue<String> watched)
      implements Transport {

    @Override
    public Response send(Request request) throws Unreachable, InterruptedException {
      return transport.send(request);
    }

    @Override
    public Stream open(Request request) throws Unreachable, InterruptedException {
      watched.add(request.path());
      return transport.open(request);
    }
  }

  @Test
  void all_controllers_together_watch_each_resource_once() throws Exception {
    // Fifteen kinds that own or are owned, namespaces, cluster roles, definitions, policies.
    watch(EnumSet.allOf(Part.class), 19);

    assertThat(watched).doesNotHaveDuplicates().contains(PODS).containsAll(OF_JOB_SETS);
  }

  @Test
  void one_controller_alone_watches_only_what_it_reads() throws Exception {
    watch(EnumSet.of(Part.JOB_SETS), OF_JOB_SETS.size());

    assertThat(watched).containsExactlyInAnyOrderElementsOf(OF_JOB_SETS);
  }

  @Test
  void without_workloads_nobody_watches_their_jobs() throws Exception {
    watch(EnumSet.of(Part.ENDPOINTS), 4);

    assertThat(watched)
        .containsExactlyInAnyOrder(
            PODS,
            "/api/v1/services",
            "/api/v1/endpoints",
            "/apis/discovery.k8s.io/v1/endpointslices");
  }

  /** Starts them, waits for so many watches, and ends them. */
  private void watch(Set<Part> parts, int watches) throws Exception {
    var random = RandomGenerator.getDefault();
    var clock = InstantSource.system();
    var settings = new ApiServer.Settings(directory, 0, Gates.product(), clock, random);
    ControlPlane.certified(directory);
    try (var server = ApiServer.open(settings);
        var way = road.to(server);
        var _ =
            Controllers.start(
                name -> new Watchful(way.as(Identity.controller(name)), watched),
                new Controllers.Settings(Gates.product(), clock, random),
                parts)) {
      var seen = new ArrayList<String>();
      while (seen.size() < watches) {
        seen.add(watched.take());
      }
      watched.addAll(seen);
    }
  }
}
