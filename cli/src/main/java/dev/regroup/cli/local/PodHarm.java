package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.embedded.harm.ContainerHarm;
import dev.regroup.runtime.fabric.Fabric;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hurts pods of a running cluster from outside, for its owner: {@code has UID}, {@code signal UID
 * CONTAINER NAME MILLIS}, {@code fill UID CONTAINER}, {@code cut UID MILLIS}. What is to end again,
 * a stop or a cut, is ended here, also if whoever asked for it is gone, and at the latest when the
 * cluster stops.
 */
public final class PodHarm implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PodHarm.class);
  private static final Duration LONGEST_MEAL = Duration.ofSeconds(60);
  private static final long LOOK_AGAIN = 10; // milliseconds
  private static final Set<String> WORDS = Set.of("has", "signal", "fill", "cut");

  private final LocalNodes nodes;
  private final Fabric fabric;
  private final Set<Thread> later = ConcurrentHashMap.newKeySet();

  PodHarm(LocalNodes nodes, Fabric fabric) {
    this.nodes = nodes;
    this.fabric = fabric;
  }

  /** Fails unless the cluster in this directory runs this pod. */
  public static String has(Path directory, String uid) throws CliFailure {
    return ControlSocket.ask(directory, "has " + uid);
  }

  /** Sends a signal to all processes of a container of the cluster in this directory. */
  public static String signal(Path directory, String uid, String container, String signal)
      throws CliFailure {
    return ControlSocket.ask(directory, "signal %s %s %s 0".formatted(uid, container, signal));
  }

  /** Stops all processes of a container; they go on after this time. Zero: never. */
  public static String freeze(Path directory, String uid, String container, Duration time)
      throws CliFailure {
    return ControlSocket.ask(
        directory, "signal %s %s SIGSTOP %d".formatted(uid, container, time.toMillis()));
  }

  /** Fills the memory of a container up to its limit. */
  public static String fill(Path directory, String uid, String container) throws CliFailure {
    return ControlSocket.ask(directory, "fill %s %s".formatted(uid, container));
  }

  /** Cuts a pod off from all others for a while. */
  public static String cut(Path directory, String uid, Duration time) throws CliFailure {
    return ControlSocket.ask(directory, "cut %s %d".formatted(uid, time.toMillis()));
  }

  boolean understands(String line) {
    return WORDS.contains(line.split(" ", 2)[0]);
  }

  String answer(String line) throws CliFailure, InterruptedException {
    var words = List.of(line.split(" ", -1));
    try {
      return switch (words.getFirst()) {
        case "signal" ->
            signal(pod(words), words.get(2), words.get(3), Long.parseLong(words.get(4)));
        case "fill" -> fill(pod(words), words.get(2));
        case "has" -> has(pod(words));
        default -> cut(pod(words), Long.parseLong(words.get(2)));
      };
    } catch (RuntimeFailure e) {
      throw new CliFailure(String.valueOf(e.getMessage()), e);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new CliFailure(CliFailure.Code.USAGE, "\"%s\" is no request".formatted(line), e);
    }
  }

  private static PodUid pod(List<String> words) {
    return new PodUid(words.get(1));
  }

  private String has(PodUid pod) throws CliFailure {
    if (!nodes.records().contains(pod)) {
      throw new CliFailure(
          CliFailure.Code.NOT_FOUND, "pod %s does not run here".formatted(pod), null);
    }
    return "runs here";
  }

  private String signal(PodUid pod, String container, String name, long millis)
      throws CliFailure, RuntimeFailure {
    var signal = Signal.named(name).orElseThrow(() -> new IllegalArgumentException(name));
    var harm = nodes.harm(pod, container);
    int sent = harm.signal(signal);
    if (millis > 0) {
      after(Duration.ofMillis(millis), "continue " + pod, () -> harm.signal(Signal.SIGCONT));
    }
    return "%s sent to %s".formatted(name, sent == 1 ? "1 process" : sent + " processes");
  }

  private String fill(PodUid pod, String container) throws CliFailure, RuntimeFailure {
    var harm = nodes.harm(pod, container);
    var eater = harm.fillMemory();
    start("fill " + pod, () -> awaitFull(harm, eater));
    return "its memory is filled up to the limit";
  }

  /** Until the container is gone, the eater is, or it has had time enough. */
  private static void awaitFull(ContainerHarm harm, Process eater) {
    try {
      long end = System.nanoTime() + LONGEST_MEAL.toNanos();
      while (harm.isAlive()
          && System.nanoTime() < end
          && !eater.waitFor(LOOK_AGAIN, TimeUnit.MILLISECONDS)) {
        Thread.onSpinWait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      eater.destroyForcibly();
    }
  }

  private String cut(PodUid pod, long millis) throws RuntimeFailure {
    fabric.cut(pod);
    after(Duration.ofMillis(millis), "join " + pod, () -> fabric.join(pod));
    return "cut off for %ds".formatted(Duration.ofMillis(millis).toSeconds());
  }

  /** Something that may fail because what it is about is gone. */
  private interface Release {
    void run() throws RuntimeFailure;
  }

  private void after(Duration time, String name, Release release) {
    start(
        name,
        () -> {
          try {
            Thread.sleep(time);
          } catch (InterruptedException e) {
            LOG.debug("{}: at once, the cluster stops", name);
          }
          try {
            release.run();
          } catch (RuntimeFailure e) {
            LOG.debug("{}: {}", name, e.getMessage()); // it is gone
          }
        });
  }

  private void start(String name, Runnable work) {
    later.add(Thread.ofVirtual().name(name).start(work));
    later.removeIf(thread -> !thread.isAlive());
  }

  @Override
  public void close() throws InterruptedException {
    later.forEach(Thread::interrupt);
    for (var thread : later) {
      thread.join();
    }
  }
}
