package dev.regroup.node.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Keeps every request and answers it with a code chosen by the test. Behaves like the real ones: an
 * answer comes only after the gate let the request pass, no answer means {@link Unreachable}.
 */
public final class RecordingTransport implements Transport {

  public record Sent(String method, String path, JsonNode body) {}

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Permits for requests; a test that holds them back sees what piles up meanwhile. */
  final Semaphore gate = new Semaphore(Integer.MAX_VALUE);

  volatile boolean reachable = true;
  volatile int code = 200;
  private final List<Sent> sent = new ArrayList<>();

  @Override
  public Response send(Request request) throws Unreachable, InterruptedException {
    gate.acquire();
    if (!reachable) {
      throw new Unreachable("cut off", new IOException("cut off"));
    }
    synchronized (sent) {
      sent.add(new Sent(request.method(), request.path(), read(request.body())));
      sent.notifyAll();
      var body = "{\"metadata\":{\"resourceVersion\":\"" + sent.size() + "\"}}";
      return new Response(code, Headers.NONE, body.getBytes(UTF_8));
    }
  }

  @Override
  public Stream open(Request request) {
    throw new UnsupportedOperationException("nothing here watches");
  }

  public List<Sent> sent() {
    synchronized (sent) {
      return List.copyOf(sent);
    }
  }

  /** Waits until this many requests arrived. */
  List<Sent> await(int count) throws InterruptedException {
    long deadline = System.nanoTime() + 10_000_000_000L;
    synchronized (sent) {
      while (sent.size() < count) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError("only " + sent.size() + " of " + count + " requests: " + sent);
        }
        sent.wait(left);
      }
      return List.copyOf(sent);
    }
  }

  /** Waits until more than this many requests arrived or the time is over; returns how many. */
  public int awaitMore(int seen, long deadlineNanos) throws InterruptedException {
    synchronized (sent) {
      while (sent.size() <= seen && System.nanoTime() < deadlineNanos) {
        sent.wait(Math.max(1, (deadlineNanos - System.nanoTime()) / 1_000_000));
      }
      return sent.size();
    }
  }

  private static JsonNode read(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
