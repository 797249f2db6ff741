package dev.regroup.cli.run;

import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Shows the logs of all containers, each line with the name of its pod in front. Every container
 * instance is followed once, from its beginning to its end, on a virtual thread of its own. The API
 * knows only a container's current log and the one before it, and a container may be restarted
 * between the news of it and the question for its log: Regroup's server is told which run is meant.
 */
final class LogFollower implements AutoCloseable {

  /** Takes a line of a container that was written then. */
  @FunctionalInterface
  interface Show {
    void line(RunScreen.Source source, Instant at, String line);
  }

  private static final String FOLLOW = "&follow=true";
  private static final String PREVIOUS = "&previous=true";

  /** For the rest of what is written already, on a machine that has much to do. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Transport transport;
  private final Show show;
  private final Set<ContainerId> followed = new HashSet<>(); // the informer's thread
  private final Set<ContainerId> ended = ConcurrentHashMap.newKeySet();
  private final Set<ContainerId> copying = new HashSet<>(); // guarded by itself
  private final Set<Transport.Stream> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("log-", 0).factory());
  private final Set<LogLines> redrawn = ConcurrentHashMap.newKeySet(); // to be shown soon
  private final ScheduledThreadPoolExecutor pace =
      new ScheduledThreadPoolExecutor(
          1,
          Thread.ofPlatform().daemon().name("log-pace").factory(),
          new ThreadPoolExecutor.DiscardPolicy()); // after the end nobody waits for a state

  /** Shows lines as they come, several threads at a time. */
  LogFollower(Transport transport, Show show) {
    this.transport = transport;
    this.show = show;
  }

  /** Follows what has started since the last call. Called by one thread. */
  void podChanged(FollowedPod pod) {
    for (var status : pod.status().containers()) {
      int current = status.restartCount();
      boolean between =
          status.state() instanceof ContainerState.Waiting
              || status.state() instanceof ContainerState.None;
      if (status.lastState() instanceof ContainerState.Terminated past) {
        ended.add(past.containerId());
        follow(pod, status.name(), past.containerId(), PREVIOUS, between ? current : current - 1);
      }
      switch (status.state()) {
        case ContainerState.Terminated now -> {
          ended.add(now.containerId());
          follow(pod, status.name(), now.containerId(), FOLLOW, current);
        }
        case ContainerState.Running _ ->
            follow(pod, status.name(), status.containerId(), FOLLOW, current);
        case ContainerState.Waiting _, ContainerState.None _ -> {}
      }
    }
  }

  /** Waits for the logs of what has ended to be shown; for those of others until the limit. */
  void finish(Duration limit) throws InterruptedException {
    takeNoMore();
    if (!threads.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      awaitEnded();
      open.forEach(Transport.Stream::close);
    }
  }

  private void awaitEnded() throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    synchronized (copying) {
      long left = PATIENCE.toMillis();
      while (left > 0 && copying.stream().anyMatch(ended::contains)) {
        copying.wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      }
    }
  }

  @Override
  public void close() {
    takeNoMore();
    pace.shutdownNow();
    open.forEach(Transport.Stream::close);
  }

  private void takeNoMore() {
    synchronized (threads) {
      threads.shutdown();
    }
  }

  private void follow(FollowedPod pod, String container, ContainerId id, String part, int run) {
    if (id.equals(ContainerId.NONE) || !followed.add(id)) {
      return;
    }
    String path = "/api/v1/namespaces/%s/pods/%s/log".formatted(pod.namespace(), pod.name());
    var spec = pod.wire().path("spec");
    String name = pod.shortName();
    boolean several = spec.path("containers").size() + spec.path("initContainers").size() > 1;
    var source = new RunScreen.Source(pod.name(), several ? name + "/" + container : name, id);
    synchronized (threads) {
      if (!threads.isShutdown()) { // pods change also after the end
        String query = "container=" + container + part + "&timestamps=true&regroupRun=" + run;
        var request = Request.get(path, query);
        synchronized (copying) {
          copying.add(id);
        }
        threads.execute(() -> copy(request, source));
      }
    }
  }

  private void copy(Request request, RunScreen.Source source) {
    var lines = LogLines.stamped((at, line) -> show.line(source, at, line), InstantSource.system());
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
      synchronized (copying) {
        copying.remove(source.instance());
        copying.notifyAll();
      }
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
}
