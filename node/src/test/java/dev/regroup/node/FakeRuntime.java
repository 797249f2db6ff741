package dev.regroup.node;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.ExecResult;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.LogReader;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RunOutput;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.SandboxRecord;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.StopOrder;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A runtime without processes that keeps the promises of the port. A command {@code exit n} ends at
 * once, everything else runs until the test or a stop ends it; a stop ends it with 137.
 */
public final class FakeRuntime implements ContainerRuntime {

  private volatile int stopCode = 137;
  private RuntimeRecord.Warning stopWarning = RuntimeRecord.Warning.UNHEARD;
  private final Map<ContainerKey, RuntimeRecord> records = new TreeMap<>();
  private final Map<PodUid, SandboxRecord> sandboxes = new TreeMap<>();
  private final Map<String, List<Integer>> logs = new HashMap<>();
  private volatile Consumer<RunOutput> outputListener = _ -> {};
  private final List<ContainerConfig> started = new ArrayList<>();
  private Consumer<PodUid> listener = _ -> {};
  private int removalsToFail;
  private int startsToFail;
  private String unremovable = "";
  private volatile boolean diskFull;
  private volatile Command command = (_, _) -> OptionalInt.of(0);

  /** A command run inside a container; empty when its time was over. */
  public interface Command {
    OptionalInt run(List<String> argv, Duration timeout) throws InterruptedException;
  }

  public void onRun(Command newCommand) {
    command = newCommand;
  }

  public synchronized void failStarts(int times) {
    startsToFail = times;
  }

  /** From now on labels of stops cannot be kept, or again. */
  public void fillDisk(boolean full) {
    diskFull = full;
  }

  /** As if all containers were started by a version that had no labels. */
  public synchronized void dropLabels() {
    records.replaceAll((_, record) ->
        new RuntimeRecord(
            record.key(),
            record.id(),
            record.epoch(),
            record.state(),
            record.pid(),
            record.createdAt(),
            record.startedAt(),
            record.finishedAt(),
            record.exitCode(),
            record.reason(),
            record.message(),
            Map.of(),
            record.warning()));
  }

  /** Lets the next removal of this container fail. */
  public synchronized void failRemovalOf(String container) {
    unremovable = container;
  }

  /** Gives the pod another address, as a new sandbox has. */
  public void move(PodUid pod, String address) {
    synchronized (this) {
      var now = sandboxes.get(pod);
      if (now == null) {
        throw new AssertionError("no sandbox of " + pod);
      }
      sandboxes.put(
          pod,
          new SandboxRecord(
              now.pod(),
              now.namespace(),
              now.name(),
              now.network(),
              now.state(),
              now.pid(),
              Optional.of(InetAddress.ofLiteral(address)),
              now.createdAt()));
    }
    listener.accept(pod);
  }

  /** Ends a container as if its process had exited. */
  public void exit(ContainerKey key, int code) {
    synchronized (this) {
      records.put(key, ended(record(key), code));
    }
    listener.accept(key.pod());
  }

  public synchronized void failRemovals(int times) {
    removalsToFail = times;
  }

  public synchronized List<ContainerConfig> started() {
    return List.copyOf(started);
  }

  @Override
  public synchronized List<SandboxRecord> sandboxes() {
    return List.copyOf(sandboxes.values());
  }

  @Override
  public synchronized Optional<SandboxRecord> sandbox(PodUid pod) {
    return Optional.ofNullable(sandboxes.get(pod));
  }

  @Override
  public synchronized List<RuntimeRecord> containers(PodUid pod) {
    return records.values().stream().filter(record -> record.key().pod().equals(pod)).toList();
  }

  @Override
  public synchronized List<PodUid> pods() {
    return List.copyOf(sandboxes.keySet());
  }

  @Override
  public synchronized SandboxRecord startSandbox(SandboxSpec spec) {
    return sandboxes.computeIfAbsent(
        spec.pod(),
        uid ->
            new SandboxRecord(
                uid,
                spec.namespace(),
                spec.name(),
                spec.network(),
                SandboxRecord.State.READY,
                1,
                Optional.of(InetAddress.ofLiteral("10.9.0.7")),
                Instant.now()));
  }

  @Override
  public synchronized void stopSandbox(PodUid pod) {
    sandboxes.remove(pod);
  }

  @Override
  public synchronized void removePod(PodUid pod) {
    records.keySet().removeIf(key -> key.pod().equals(pod));
    sandboxes.remove(pod);
  }

  @Override
  public RuntimeRecord start(ContainerConfig spec) throws RuntimeFailure {
    RuntimeRecord record;
    synchronized (this) {
      if (records.containsKey(spec.key())) {
        throw new RuntimeFailure(RuntimeFailure.Kind.ALREADY_EXISTS, spec.key() + " exists");
      }
      if (startsToFail > 0) {
        startsToFail--;
        throw new RuntimeFailure(RuntimeFailure.Kind.SYSTEM, "too many open files");
      }
      record = running(spec);
      records.put(spec.key(), record);
      logs.computeIfAbsent(name(spec.key()), _ -> new ArrayList<>()).add(spec.key().run());
      started.add(spec);
    }
    if (spec.argv().getFirst().equals("exit")) {
      exit(spec.key(), Integer.parseInt(spec.argv().get(1)));
    }
    return record;
  }

  @Override
  public synchronized void announceStop(ContainerKey key, Map<String, String> labels)
      throws RuntimeFailure {
    var record = record(key);
    if (record.labels().keySet().containsAll(labels.keySet())) {
      return;
    }
    if (diskFull) {
      throw new RuntimeFailure(RuntimeFailure.Kind.SYSTEM, "no space left on device");
    }
    records.put(key, record.labelled(labels));
  }

  /** Containers that are stopped end with this code and heard of it or not; at first not. */
  public void endsWhenStopped(int code, RuntimeRecord.Warning warning) {
    stopCode = code;
    stopWarning = warning;
  }

  @Override
  public RuntimeRecord stop(ContainerKey key, StopOrder order) throws RuntimeFailure {
    RuntimeRecord record;
    synchronized (this) {
      if (!records.containsKey(key)) {
        throw new RuntimeFailure(RuntimeFailure.Kind.NOT_FOUND, "no such container: " + key);
      }
      if (record(key).state() != RuntimeRecord.State.RUNNING) {
        return record(key);
      }
      announceStop(key, order.labels());
      record = ended(record(key), stopCode).warned(stopWarning);
      records.put(key, record);
    }
    listener.accept(key.pod()); // from here on the record may be removed
    return record;
  }

  @Override
  public void signal(ContainerKey key, Signal signal) {
    exit(key, 128 + signal.number());
  }

  @Override
  public synchronized void remove(ContainerKey key) throws RuntimeFailure {
    if (removalsToFail > 0) {
      removalsToFail--;
      throw new RuntimeFailure(RuntimeFailure.Kind.SYSTEM, "told to fail");
    }
    if (key.name().equals(unremovable)) {
      unremovable = "";
      throw new RuntimeFailure(RuntimeFailure.Kind.SYSTEM, "told to fail");
    }
    records.remove(key);
  }

  @Override
  public ExecSession exec(ContainerKey key, ExecRequest request) {
    throw new UnsupportedOperationException("no processes here");
  }

  @Override
  public ExecSession attach(ContainerKey key, InputEnd end) {
    throw new UnsupportedOperationException("no processes here");
  }

  @Override
  public SocketChannel connect(PodUid pod, int port) {
    throw new UnsupportedOperationException("no processes here");
  }

  @Override
  public ExecResult run(ContainerKey key, List<String> argv, Duration timeout, int outputLimit)
      throws InterruptedException {
    return new ExecResult(command.run(argv, timeout), "");
  }

  @Override
  public String terminationMessage(ContainerKey key, int limit) {
    return "";
  }

  @Override
  public LogReader log(ContainerKey key, LogQuery query) {
    throw new UnsupportedOperationException("no processes here");
  }

  @Override
  public synchronized List<Integer> loggedRuns(PodUid pod, String container) {
    return List.copyOf(logs.getOrDefault(pod + "/" + container, List.of()));
  }

  @Override
  public void onChange(Consumer<PodUid> newListener) {
    listener = newListener;
  }

  @Override
  public void onOutput(Consumer<RunOutput> newListener) {
    outputListener = newListener;
  }

  /** A container writes this. */
  public void writes(RunOutput output) {
    outputListener.accept(output);
  }

  @Override
  public void close() {}

  private synchronized RuntimeRecord record(ContainerKey key) {
    var record = records.get(key);
    if (record == null) {
      throw new AssertionError("no such container: " + key + " among " + records.keySet());
    }
    return record;
  }

  private static String name(ContainerKey key) {
    return key.pod() + "/" + key.name();
  }

  private static RuntimeRecord running(ContainerConfig spec) {
    var now = Instant.now();
    return new RuntimeRecord(
        spec.key(),
        "%064x".formatted(spec.key().hashCode() & 0xffffffffL),
        spec.epoch(),
        RuntimeRecord.State.RUNNING,
        1,
        now,
        Optional.of(now),
        Optional.empty(),
        OptionalInt.empty(),
        "",
        "",
        spec.labels(),
        RuntimeRecord.Warning.NONE);
  }

  private static RuntimeRecord ended(RuntimeRecord record, int code) {
    return new RuntimeRecord(
        record.key(),
        record.id(),
        record.epoch(),
        RuntimeRecord.State.EXITED,
        0,
        record.createdAt(),
        record.startedAt(),
        Optional.of(Instant.now()),
        OptionalInt.of(code),
        code == 0 ? RuntimeRecord.COMPLETED : RuntimeRecord.ERROR,
        "",
        record.labels(),
        record.warning());
  }
}
