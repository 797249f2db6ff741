package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
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
  private final Set<LogLines> redrawn = ConcurrentHashMap.newKeySet(); // to be shown soon
  private final ScheduledThreadPoolExecutor pace =
      new ScheduledThreadPoolExecutor(
          1,
          Thread.ofPlatform().daemon().name("log-pace").factory(),
          new ThreadPoolExecutor.DiscardPolicy()); // after the end nobody waits for a state

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
    pace.shutdownNow();
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
    var lines = new LogLines(line -> print(prefix, line));
    try (var stream = transport.open(request)) {
      open.add(stream);
      try {
        for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
          if (stream.status() == 200 && lines.take(frame)) {
            showLater(lines);
          }
        }
      } finally {
        open.remove(stream);
      }
    } catch (Transport.Unreachable e) {
      return; // the run ends
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lines.finish();
    }
  }

  /** A progress bar is shown at a pace people can read, and also when it stands still. */
  private void showLater(LogLines lines) {
    if (redrawn.add(lines)) {
      var _ =
          pace.schedule(
              () -> {
                redrawn.remove(lines);
                lines.showDrawn();
              },
              LogLines.PACE.toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  private void print(String prefix, String line) {
    synchronized (out) {
      out.println(prefix + line);
    }
  }
}
