package dev.regroup.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunFollowerTest {

  private static final String POD =
      """
      {"metadata":{"name":"t-0","namespace":"default","uid":"u","resourceVersion":"%s",
        "labels":{"jobset.sigs.k8s.io/jobset-name":"t"}},
       "spec":{"containers":[{"name":"c"}]},
       "status":{"phase":"%s","containerStatuses":[{"name":"c","state":%s}]}}
      """;

  private static final String RUNNING =
      POD.formatted("1", "Running", "{\"running\":{\"startedAt\":\"2026-01-01T00:00:00Z\"}}");

  private static final String FAILED =
      POD.formatted(
          "2",
          "Failed",
          "{\"terminated\":{\"exitCode\":3,\"reason\":\"Error\",\"containerID\":\"regroup://1\"}}");

  private static final String JOB_SET =
      """
      {"kind":"JobSet","metadata":{"name":"t","namespace":"default","uid":"j","resourceVersion":"3"},
       "status":{"terminalState":"Failed"}}
      """;

  /** Kinds are watched side by side: the end of a JobSet may be heard before that of its pod. */
  @Test
  void a_run_is_not_told_before_the_ends_of_its_pods_are_known() throws Exception {
    var shown = new StringWriter();
    var out = new PrintWriter(shown, true);
    try (var follower = new RunFollower(new LatePods(), new PlainScreen(out, out), new Random(1))) {
      var result = follower.follow(List.of(Wire.tree(JOB_SET)), Optional.empty());

      assertThat(result).contains(RunProgress.Result.FAILED);
      assertThat(follower.culprits())
          .containsExactly("because of t-0: container c exited with code 3");
      assertThat(shown.toString()).as("its log").contains("t-0 | last words");
    }
  }

  /** The JobSet has failed; the watch of pods says why once somebody looks at them again. */
  private static final class LatePods implements Transport {
    private final CountDownLatch looked = new CountDownLatch(1);

    @Override
    public Response send(Request request) {
      return switch (request.path()) {
        case "/api/v1/pods" -> list(RUNNING);
        case "/api/v1/namespaces/default/pods" -> {
          looked.countDown();
          yield list(FAILED);
        }
        case "/apis/jobset.x-k8s.io/v1alpha2/jobsets" -> list(JOB_SET);
        default -> list("");
      };
    }

    private static Response list(String item) {
      var list = Wire.object();
      list.putObject("metadata").put("resourceVersion", "1");
      var items = list.putArray("items");
      if (!item.isEmpty()) {
        items.add(Wire.tree(item));
      }
      return new Response(200, Headers.NONE, Wire.write(list));
    }

    @Override
    public Stream open(Request request) {
      if (request.path().endsWith("/log")) {
        var over = new CountDownLatch(0);
        return new OneFrame(over, "last words\n", over);
      }
      if (!request.path().equals("/api/v1/pods")) {
        var never = new CountDownLatch(1);
        return new OneFrame(never, "", never);
      }
      ObjectNode event = Wire.object().put("type", "MODIFIED");
      event.set("object", Wire.tree(FAILED));
      return new OneFrame(looked, event.toString(), new CountDownLatch(1));
    }
  }

  /** Says one thing at its time and ends at another. */
  private record OneFrame(CountDownLatch due, String frame, CountDownLatch end, CountDownLatch told)
      implements Transport.Stream {

    OneFrame(CountDownLatch due, String frame, CountDownLatch end) {
      this(due, frame, end, new CountDownLatch(1));
    }

    @Override
    public int status() {
      return 200;
    }

    @Override
    public Headers headers() {
      return Headers.NONE;
    }

    @Override
    public byte @Nullable [] next() throws InterruptedException {
      due.await();
      if (told.getCount() > 0 && !frame.isEmpty()) {
        told.countDown();
        return frame.getBytes(UTF_8);
      }
      end.await();
      return null;
    }

    @Override
    public void close() {
      end.countDown();
    }
  }
}
