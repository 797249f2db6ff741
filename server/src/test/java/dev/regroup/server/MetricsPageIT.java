package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Gates;
import dev.regroup.client.Request;
import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.server.access.Identity;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of figures is for those who may see it, and requests are counted under known names. */
class MetricsPageIT {

  @TempDir Path folder;

  private final ConcurrentLinkedQueue<String> counted = new ConcurrentLinkedQueue<>();

  @Test
  void only_who_may_see_the_page_does() throws Exception {
    try (var server = open(new Counted())) {
      var admin = server.inProcess(Identity.admin()).send(Request.get("/metrics", ""));
      var anybody = server.inProcess(Identity.ANONYMOUS).send(Request.get("/metrics", ""));

      assertThat(new String(admin.body(), UTF_8)).isEqualTo("figures 1\n");
      assertThat(anybody.status()).isEqualTo(403);
    }
  }

  @Test
  void there_is_no_page_when_nobody_keeps_figures() throws Exception {
    try (var server = open(Metrics.NONE)) {
      var answer = server.inProcess(Identity.admin()).send(Request.get("/metrics", ""));

      assertThat(answer.status()).isEqualTo(404);
    }
  }

  @Test
  void requests_are_counted_by_what_they_ask_for_and_nonsense_without_its_name() throws Exception {
    try (var server = open(new Counted())) {
      var admin = server.inProcess(Identity.admin());
      counted.clear();

      admin.send(Request.get("/api/v1/namespaces/default/pods", ""));
      admin.send(Request.get("/apis/nonsense.example/v1/things", ""));
      admin.send(Request.get("/api/v1/namespaces/default/pods/absent", ""));

      assertThat(counted)
          .containsExactly(
              "apiserver_request_total[LIST, , v1, pods, , 200]",
              "apiserver_request_duration_seconds[LIST, , v1, pods, ]",
              "apiserver_request_total[LIST, , , , , 404]",
              "apiserver_request_duration_seconds[LIST, , , , ]",
              "apiserver_request_total[GET, , v1, pods, , 404]",
              "apiserver_request_duration_seconds[GET, , v1, pods, ]");
    }
  }

  private ApiServer open(Metrics metrics) throws Exception {
    return ApiServer.open(
        new ApiServer.Settings(
            TestServer.certified(folder),
            0,
            Gates.product(),
            InstantSource.system(),
            RandomGenerator.getDefault(),
            metrics));
  }

  private final class Counted implements Metrics {
    @Override
    public void add(MetricFamily family, double value, String... labels) {
      if (family.name().startsWith("apiserver_")) { // the store counts beside it
        counted.add(family.name() + List.of(labels));
      }
    }

    @Override
    public Optional<String> page() {
      return Optional.of("figures 1\n");
    }
  }
}
