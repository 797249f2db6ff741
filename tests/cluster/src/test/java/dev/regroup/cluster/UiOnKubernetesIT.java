package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.regroup.e2e.Program;
import dev.regroup.e2e.Workers;
import dev.regroup.testing.ExpectsThread;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * {@code regroup ui} shows what runs on Kubernetes' own kubelet, and restarts it. What browsers
 * make of it is tested with a local cluster ({@code UiIT}); here its requests are made by hand.
 */
@ExtendWith(SharedCluster.class)
@ExpectsThread(value = "program-.*", because = "all tests share one controller")
class UiOnKubernetesIT {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String DATA = "data: ";

  @Test
  @Timeout(300)
  void the_page_shows_a_group_and_restarts_it(RealCluster cluster) throws Exception {
    cluster.regroup();
    var kube = cluster.kube();
    kube.create(
        Workers.JOB_SETS,
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {name: seen}
        spec:
          failurePolicy: {maxRestarts: 9, restartStrategy: InPlaceRestart}
          replicatedJobs:
          - name: w
            template:
              spec:
                parallelism: 2
                completions: 2
                template:
                  spec:
                    terminationGracePeriodSeconds: 1
                    containers:
                    - name: worker
                      image: busybox
                      imagePullPolicy: Never
                      command: [sh, -c, 'trap "exit 143" TERM; echo hello; while :; do sleep 0.2; done']
        """);
    try (var ui =
            Program.start(
                Map.of(), List.of("ui", "--kubeconfig", cluster.kubeconfig().toString()));
        var http = HttpClient.newHttpClient()) {
      String line = ui.awaitLine(said -> said.startsWith("page: "), RegroupOnCluster.PATIENCE);
      var page = new Page(http, URI.create(line.substring("page: ".length())));

      String pod = page.awaitRunning(2).getFirst();
      assertThat(page.json("report?namespace=default&name=seen").path("workers")).hasSize(2);
      try (var log = page.lines("logs?namespace=default&pod=" + pod + "&container=worker").body()) {
        assertThat(log.findFirst()).contains("hello");
      }
      assertThat(page.json("explain?namespace=default&name=seen").path("tables")).isNotEmpty();

      var said =
          page.post(
              "restart",
              "{\"target\":\"jobset/seen\",\"namespace\":\"default\",\"reason\":\"by hand\"}");
      assertThat(said.statusCode()).as(said.body()).isEqualTo(200);
      assertThat(said.body()).contains("jobset/seen runs at attempt 1");
      assertThat(
              kube.get(Workers.JOB_SETS + "/seen")
                  .path("status")
                  .path("currentInPlaceRestartAttempt")
                  .asInt())
          .isEqualTo(1);
    } finally {
      kube.delete(Workers.JOB_SETS + "/seen", "propagationPolicy=Background");
    }
  }

  /** What the page asks for, as whoever opened the link. */
  private static final class Page {

    private final HttpClient http;
    private final String root;
    private final String cookie;

    Page(HttpClient http, URI link) throws Exception {
      this.http = http;
      this.root = "http://" + link.getAuthority() + "/ui/api/";
      var answer =
          http.send(
              asked("login")
                  .header("X-Regroup-Page", "1")
                  .POST(BodyPublishers.ofString("{\"token\":\"" + link.getFragment() + "\"}"))
                  .build(),
              BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      this.cookie = answer.headers().firstValue("set-cookie").orElseThrow().replaceAll(";.*", "");
    }

    /** The pods of the group, as soon as so many are shown as running. */
    List<String> awaitRunning(int many) throws Exception {
      var running = new TreeMap<String, String>();
      try (var lines = lines("live?namespace=default&name=seen").body()) {
        var news = lines.filter(line -> line.startsWith(DATA)).iterator();
        while (news.hasNext()) {
          var frame = MAPPER.readTree(news.next().substring(DATA.length()));
          for (JsonNode worker : frame.path("group").path("workers")) {
            running.put(worker.path("pod").asText(), worker.path("sign").asText());
          }
          if (running.values().stream().filter("running"::equals).count() == many) {
            return List.copyOf(running.keySet());
          }
        }
      }
      throw new AssertionError("the page went away: " + running);
    }

    JsonNode json(String path) throws Exception {
      var answer = http.send(mine(path).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return MAPPER.readTree(answer.body());
    }

    HttpResponse<Stream<String>> lines(String path) throws Exception {
      var answer = http.send(mine(path).build(), BodyHandlers.ofLines());
      assertThat(answer.statusCode()).isEqualTo(200);
      return answer;
    }

    HttpResponse<String> post(String path, String body) throws Exception {
      return http.send(
          mine(path).header("X-Regroup-Page", "1").POST(BodyPublishers.ofString(body)).build(),
          BodyHandlers.ofString());
    }

    private HttpRequest.Builder mine(String path) {
      return asked(path).header("Cookie", cookie);
    }

    private HttpRequest.Builder asked(String path) {
      return HttpRequest.newBuilder(URI.create(root + path)).timeout(RegroupOnCluster.PATIENCE);
    }
  }
}
