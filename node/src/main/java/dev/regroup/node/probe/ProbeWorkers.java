package dev.regroup.node.probe;

import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import dev.regroup.runtime.ContainerKey;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Probe;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The probes of one pod: one virtual thread per probe of a running container (PRB-01). The pod's
 * worker says which run and asks for results; it never waits for a probe.
 */
public final class ProbeWorkers {

  /** Told on every run, every failed one in words, and every change of a result. Any thread. */
  public interface Listener {
    void judged(ProbeKind kind, ProbeVerdict verdict, Duration took);

    void changed();

    void unhealthy(ContainerKey key, String message);

    void warning(ContainerKey key, String message);
  }

  /**
   * A running container.
   *
   * @param known results to begin with: those of before a restart of the node (STS-40)
   */
  public record Running(ProbeTarget target, Instant startedAt, Map<ProbeKind, ProbeResult> known) {}

  private record Entry(Map<ProbeKind, ProbeResult> results, List<ProbeLoop> loops) {}

  private final Handlers handlers;
  private final InstantSource clock;
  private final Listener listener;
  private final Map<ContainerKey, Entry> runs = new ConcurrentHashMap<>();

  public ProbeWorkers(Handlers handlers, InstantSource clock, Listener listener) {
    this.handlers = handlers;
    this.clock = clock;
    this.listener = listener;
  }

  /** Begins to probe a run if that has not been done; does nothing without probes. */
  public void watch(Running running) {
    var container = running.target().container();
    if (container.getStartupProbe() == null
        && container.getLivenessProbe() == null
        && container.getReadinessProbe() == null) {
      return;
    }
    runs.computeIfAbsent(running.target().key(), _ -> begin(running));
  }

  /** The results so far; a missing one is "not yet known" (PRB-02). */
  public Map<ProbeKind, ProbeResult> results(ContainerKey key) {
    var entry = runs.get(key);
    return entry == null ? Map.of() : Map.copyOf(entry.results());
  }

  /** What startup probes wait for may have come: they look at once, beside their period. */
  public void hurry() {
    for (var entry : runs.values()) {
      entry.loops().stream()
          .filter(loop -> loop.kind() == ProbeKind.STARTUP)
          .forEach(ProbeLoop::hurry);
    }
  }

  /** The run ended or is gone: stops its probes. What they said stays until forgotten. */
  public void ended(ContainerKey key) {
    var entry = runs.get(key);
    if (entry != null) {
      entry.loops().forEach(ProbeLoop::interrupt);
    }
  }

  public void forget(ContainerKey key) {
    ended(key);
    runs.remove(key);
  }

  /** Stops liveness and startup probes; readiness goes on (TERM-07, PRB-12). */
  public void podEnds() {
    for (var entry : runs.values()) {
      entry.loops().stream()
          .filter(loop -> loop.kind() != ProbeKind.READINESS)
          .forEach(ProbeLoop::interrupt);
    }
  }

  /** Ends every thread and waits for them. */
  public void stop() throws InterruptedException {
    for (var entry : runs.values()) {
      entry.loops().forEach(ProbeLoop::interrupt);
    }
    for (var entry : runs.values()) {
      for (var loop : entry.loops()) {
        loop.join();
      }
    }
  }

  private Entry begin(Running running) {
    var results = new ConcurrentHashMap<>(running.known());
    var loops = new ArrayList<ProbeLoop>();
    for (var kind : ProbeKind.values()) {
      var probe = probe(running.target().container(), kind);
      boolean startupDone =
          kind == ProbeKind.STARTUP && results.get(ProbeKind.STARTUP) == ProbeResult.SUCCESS;
      if (probe != null && !startupDone) {
        loops.add(new ProbeLoop(kind, probe, running, results, handlers, clock, listener));
      }
    }
    loops.forEach(ProbeLoop::start);
    return new Entry(results, loops);
  }

  private static @Nullable Probe probe(Container container, ProbeKind kind) {
    return switch (kind) {
      case STARTUP -> container.getStartupProbe();
      case LIVENESS -> container.getLivenessProbe();
      case READINESS -> container.getReadinessProbe();
    };
  }
}
