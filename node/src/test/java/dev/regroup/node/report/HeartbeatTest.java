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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the node says about the disk below the API. */
class HeartbeatTest {

  private static final String FULL = "/data: the disk is full: No space left on device";
  private static final String NO_ROOM =
      "{\"kind\":\"Status\",\"code\":503,\"message\":\"%s\"}".formatted(FULL);

  @Test
  void the_node_tells_of_a_full_disk_at_once_and_of_its_end() throws Exception {
    var api = new SmallDisk();
    var heartbeat = new Heartbeat(new ApiClient(api), node(), InstantSource.system());
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

  private static NodeObject node() {
    var machine = new NodeObject.Machine("amd64", "6", "Linux", "m", "b");
    return new NodeObject("n", "10.0.0.1", 2, 1 << 30, 1 << 30, 10, "0", machine, List.of());
  }

  /** Takes the node's status always, everything else while there is room. */
  private static final class SmallDisk implements Transport {
    private static final ObjectMapper JSON = new ObjectMapper();
    private final LinkedBlockingQueue<JsonNode> conditions = new LinkedBlockingQueue<>();
    private volatile boolean full;

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
      boolean changes = !request.path().endsWith("/nodes/n"); // that one stays as it is
      return full && changes ? answer(503, NO_ROOM) : answer(200, "{}");
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
