package dev.regroup.node.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the node says about the disk below the API, and about itself. */
class HeartbeatTest {

  private static final String FULL = "/data: the disk is full: No space left on device";
  private static final String NO_ROOM =
      "{\"kind\":\"Status\",\"code\":503,\"message\":\"%s\"}".formatted(FULL);

  @Test
  void the_node_tells_of_a_full_disk_at_once_and_of_its_end() throws Exception {
    var api = new SmallDisk();
    var heartbeat =
        new Heartbeat(new ApiClient(api), node(), InstantSource.system(), Heartbeat.RENEW);
    heartbeat.start();
    try {
      assertThat(api.nextDiskPressure().path("status").asText()).isEqualTo("False");

      api.full = true;
      heartbeat.poke();

      var pressure = api.diskPressureOnce("True");
      assertThat(pressure.path("reason").asText()).isEqualTo("KubeletHasDiskPressure");
      assertThat(pressure.path("message").asText()).isEqualTo(FULL);

      api.full = false;
      heartbeat.poke();

      var relief = api.diskPressureOnce("False");
      assertThat(relief.path("reason").asText()).isEqualTo("KubeletHasNoDiskPressure");
    } finally {
      heartbeat.stop();
    }
  }

  @ParameterizedTest
  @CsvSource({"200, Unknown", "200, False", "404, ''"})
  void a_node_that_was_taken_for_lost_or_forgotten_speaks_up_with_the_next_beat(
      int code, String ready) throws Exception {
    var api = new SmallDisk();
    var heartbeat =
        new Heartbeat(new ApiClient(api), node(), InstantSource.system(), Heartbeat.RENEW);
    heartbeat.start();
    try {
      api.awaitSilence(heartbeat);

      api.myself = SmallDisk.answer(code, myself(ready));
      heartbeat.poke();

      assertThat(api.nextDiskPressure()).as("the whole status again").isNotEmpty();
    } finally {
      heartbeat.stop();
    }
  }

  private static String myself(String ready) {
    return "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}]}}"
        .formatted(ready);
  }

  private static NodeObject node() {
    var machine = new NodeObject.Machine("amd64", "6", "Linux", "m", "b");
    return new NodeObject("n", "10.0.0.1", 2000, 1 << 30, 1 << 30, 10, "0", machine, List.of());
  }

  /** Takes the node's status always, everything else while there is room. */
  private static final class SmallDisk implements Transport {
    private static final ObjectMapper JSON = new ObjectMapper();
    private final LinkedBlockingQueue<JsonNode> conditions = new LinkedBlockingQueue<>();
    private volatile boolean full;
    private volatile Response myself = answer(200, myself("True"));
    private final Semaphore looks = new Semaphore(0);

    @Override
    public Response send(Request request) {
      if (request.path().endsWith("/nodes/n/status")) {
        read(request.body())
            .at("/status/conditions")
            .forEach(condition -> {
              if (condition.path("type").asText().equals("DiskPressure")) {
                conditions.add(condition);
              }
            });
        return answer(200, "{}");
      }
      if (request.method().equals("GET")) {
        looks.release();
        return myself;
      }
      boolean changes = !request.path().endsWith("/nodes/n"); // that one stays as it is
      return full && changes ? answer(503, NO_ROOM) : answer(200, "{}");
    }

    /** Waits until the node is content with what it sees of itself. */
    private void awaitSilence(Heartbeat heartbeat) throws InterruptedException {
      nextDiskPressure(); // it registers
      heartbeat.poke();
      looks.acquire();
      heartbeat.poke();
      looks.acquire(); // the beat before is over
      conditions.clear();
    }

    private JsonNode nextDiskPressure() throws InterruptedException {
      var next = conditions.poll(20, TimeUnit.SECONDS);
      assertThat(next).as("a status of the node").isNotNull();
      return next;
    }

    private JsonNode diskPressureOnce(String status) throws InterruptedException {
      var next = nextDiskPressure();
      while (!next.path("status").asText().equals(status)) {
        next = nextDiskPressure();
      }
      return next;
    }

    private static Response answer(int code, String body) {
      return new Response(code, Headers.NONE, body.getBytes(UTF_8));
    }

    private static JsonNode read(byte[] body) {
      try {
        return JSON.readTree(body);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public Stream open(Request request) {
      throw new UnsupportedOperationException("nothing here watches");
    }
  }
}
