package dev.regroup.node.container;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.probe.ProbeWorkers;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.SeenContainer.State;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import io.fabric8.kubernetes.api.model.Container;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The records of one pod as the plan wants to see them: what the runtime knows, joined with the
 * node's stops, hooks and probes. Only the pod's worker calls it.
 */
final class ContainerRecords {

  private static final int MOST_MESSAGE = 4096;
  private static final int MOST_LOG_MESSAGE = 2048;
  private static final int MOST_LOG_LINES = 80;

  private final ContainerRuntime runtime;
  private final PodUid pod;
  private final ContainerStops stops;
  private final Hooks hooks;
  private final ProbeWorkers probes;
  private final Pokes pokes;

  private final Map<ContainerKey, String> messages = new HashMap<>();
  private final Map<ContainerKey, RuntimeRecord> unseenStarts = new HashMap<>();
  private Map<ContainerId, RuntimeRecord> latest = Map.of();

  ContainerRecords(
      ContainerRuntime runtime,
      PodUid pod,
      ContainerStops stops,
      Hooks hooks,
      ProbeWorkers probes,
      Pokes pokes) {
    this.runtime = runtime;
    this.pod = pod;
    this.stops = stops;
    this.hooks = hooks;
    this.probes = probes;
    this.pokes = pokes;
  }

  /** All runs of all containers. */
  List<SeenContainer> observe(NodePod view) throws InterruptedException {
    var records = new ArrayList<SeenContainer>();
    var ids = new HashMap<ContainerId, RuntimeRecord>();
    for (var known : runtime.containers(pod)) {
      var shown = shown(known);
      ids.put(new ContainerId(known.id()), known);
      if (shown.state() != RuntimeRecord.State.RUNNING) {
        probes.ended(known.key());
      }
      records.add(record(shown, view.container(known.key().name()).orElse(null)));
    }
    latest = ids;
    return records;
  }

  /** The run of this id as it was at the last look, if it was there. */
  Optional<RuntimeRecord> latest(ContainerId id) {
    return Optional.ofNullable(latest.get(id));
  }

  /**
   * A start that succeeded is shown once as running even when the process is gone by the next look:
   * whoever follows the pod sees that it ran.
   */
  void started(RuntimeRecord record) {
    unseenStarts.put(record.key(), asRunning(record));
  }

  private static RuntimeRecord asRunning(RuntimeRecord record) {
    return new RuntimeRecord(
        record.key(),
        record.id(),
        record.epoch(),
        RuntimeRecord.State.RUNNING,
        record.pid(),
        record.createdAt(),
        record.startedAt(),
        Optional.empty(),
        OptionalInt.empty(),
        "",
        "",
        record.labels(),
        RuntimeRecord.Warning.NONE);
  }

  void forget(ContainerKey key) {
    messages.remove(key);
    unseenStarts.remove(key);
  }

  private RuntimeRecord shown(RuntimeRecord now) {
    var start = unseenStarts.remove(now.key());
    if (start == null || now.state() == start.state()) {
      return now;
    }
    pokes.poke(); // the next look shows the end
    return start;
  }

  private SeenContainer record(RuntimeRecord known, @Nullable Container container)
      throws InterruptedException {
    var key = known.key();
    var labels = ContainerLabels.read(known.labels());
    var stop = stops.of(known);
    return new SeenContainer(
        new ContainerId(known.id()),
        key.name(),
        key.run(),
        known.epoch(),
        labels.sandbox(),
        labels.image(),
        labels.fingerprint(),
        state(known.state()),
        known.createdAt(),
        known.startedAt().orElse(Instant.EPOCH),
        known.finishedAt().orElse(Instant.EPOCH),
        known.exitCode().orElse(0),
        known.reason(),
        message(known, container),
        stop.why(),
        stop.progress(),
        hooks.postStart(key),
        probes.results(key));
  }

  private static State state(RuntimeRecord.State state) {
    return switch (state) {
      case CREATED -> State.CREATED;
      case RUNNING -> State.RUNNING;
      case EXITED -> State.EXITED;
    };
  }

  /** The termination message of an ended run (STS-16); read once. */
  private String message(RuntimeRecord known, @Nullable Container container)
      throws InterruptedException {
    if (known.state() != RuntimeRecord.State.EXITED) {
      return "";
    }
    var read = messages.get(known.key());
    if (read == null) {
      read = read(known, container);
      messages.put(known.key(), read);
    }
    return read;
  }

  private String read(RuntimeRecord known, @Nullable Container container)
      throws InterruptedException {
    var text = "";
    try {
      text = runtime.terminationMessage(known.key(), MOST_MESSAGE);
      boolean fallBack =
          text.isEmpty()
              && known.exitCode().orElse(0) != 0
              && container != null
              && "FallbackToLogsOnError".equals(container.getTerminationMessagePolicy())
              && !known.reason().equals("ContainerCannotRun");
      if (fallBack) {
        text = logTail(known.key());
      }
    } catch (RuntimeFailure | IOException e) {
      text = ""; // a message is a courtesy; the exit code is what counts
    }
    if (known.message().isEmpty()) {
      return text;
    }
    return text.isEmpty() ? known.message() : known.message() + ": " + text;
  }

  private String logTail(ContainerKey key)
      throws RuntimeFailure, IOException, InterruptedException {
    var bytes = new ByteArrayOutputStream();
    try (var reader = runtime.log(key, LogQuery.ALL.tailing(MOST_LOG_LINES))) {
      for (var line = reader.next(); line.isPresent(); line = reader.next()) {
        bytes.writeBytes(line.get().bytes());
        if (line.get().terminated()) {
          bytes.write('\n');
        }
      }
    }
    var all = bytes.toByteArray();
    int from = Math.max(0, all.length - MOST_LOG_MESSAGE);
    return new String(all, from, all.length - from, UTF_8);
  }
}
