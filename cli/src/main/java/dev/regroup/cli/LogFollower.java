package dev.regroup.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Shows the logs of all containers, each line with the name of its pod in front. Every container
 * instance is followed once, from its beginning to its end, on a virtual thread of its own.
 */
final class LogFollower implements AutoCloseable {

  private final Transport transport;
  private final PrintWriter out; // guarded by itself
  private final Set<String> followed = new HashSet<>(); // container ids; the informer's thread
  private final Set<Transport.Stream> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("log-", 0).factory());

  LogFollower(Transport transport, PrintWriter out) {
    this.transport = transport;
    this.out = out;
  }

  /** Follows what has started since the last call. Called by one thread. */
  void podChanged(JsonNode pod) {
    for (String list : List.of("initContainerStatuses", "containerStatuses")) {
      for (JsonNode status : pod.path("status").path(list)) {
        follow(pod, status, status.path("lastState").path("terminated"), true);
        follow(pod, status, status.path("state").path("terminated"), false);
        if (status.path("state").has("running")) {
          follow(pod, status, status, false);
        }
      }
    }
  }

  /** Waits for the logs of what has ended to be shown. */
  void finish(Duration limit) throws InterruptedException {
    threads.shutdown();
    if (!threads.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      open.forEach(Transport.Stream::close);
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    open.forEach(Transport.Stream::close);
  }

  private void follow(JsonNode pod, JsonNode status, JsonNode instance, boolean previous) {
    String id = instance.path("containerID").asText("");
    if (id.isEmpty() || !followed.add(id) || threads.isShutdown()) {
      return;
    }
    String container = status.path("name").asText();
    var metadata = pod.path("metadata");
    String path =
        "/api/v1/namespaces/%s/pods/%s/log"
            .formatted(metadata.path("namespace").asText(), metadata.path("name").asText());
    String query = "container=" + container + (previous ? "&previous=true" : "&follow=true");
    String name = pod.path("spec").path("hostname").asText(metadata.path("name").asText());
    boolean several =
        pod.path("spec").path("containers").size() + pod.path("spec").path("initContainers").size()
            > 1;
    String prefix = (several ? name + "/" + container : name) + " | ";
    threads.execute(() -> copy(Request.get(path, query), prefix));
  }

  private void copy(Request request, String prefix) {
    try (var stream = transport.open(request)) {
      open.add(stream);
      try {
        var line = new ByteArrayOutputStream();
        for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
          if (stream.status() == 200) {
            show(frame, line, prefix);
          }
        }
        if (line.size() > 0) {
          print(prefix, line);
        }
      } finally {
        open.remove(stream);
      }
    } catch (Transport.Unreachable e) {
      return; // the run ends
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void show(byte[] frame, ByteArrayOutputStream line, String prefix) {
    for (byte b : frame) {
      if (b == '\n') {
        print(prefix, line);
      } else {
        line.write(b);
      }
    }
  }

  private void print(String prefix, ByteArrayOutputStream line) {
    synchronized (out) {
      out.println(prefix + line.toString(UTF_8));
    }
    line.reset();
  }
}
