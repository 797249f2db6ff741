package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.StopOrder;
import dev.regroup.runtime.embedded.cgroup.CgroupTree;
import dev.regroup.runtime.embedded.log.LogRetention;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A runtime over a directory of its own, and what tests say often. Closing removes all of it. */
public final class Machine implements AutoCloseable {

  /** As in a restart of all containers (RAC-13, RAC-55). */
  public static final StopOrder RESTART =
      new StopOrder(
          Map.of("stop", "RESTART_ALL"),
          Signal.SIGTERM,
          Duration.ofSeconds(2),
          StopOrder.Deaf.IS_KILLED_AT_ONCE);

  private static final long PATIENCE_SECONDS = 20;

  public final Path directory;
  public final EmbeddedRuntime runtime;
  private final Semaphore changes = new Semaphore(0);

  public Machine(Path directory) throws IOException {
    this(EmbeddedRuntime.Settings.in(directory), CgroupTree.find());
  }

  public Machine(Path directory, CgroupTree tree) throws IOException {
    this(EmbeddedRuntime.Settings.in(directory), tree);
  }

  public Machine(Path directory, LogRetention logs) throws IOException {
    this(EmbeddedRuntime.Settings.in(directory).keeping(logs), CgroupTree.find());
  }

  public Machine(EmbeddedRuntime.Settings settings) throws IOException {
    this(settings, CgroupTree.find());
  }

  private Machine(EmbeddedRuntime.Settings settings, CgroupTree tree) throws IOException {
    this.directory = settings.directory();
    this.runtime = EmbeddedRuntime.open(settings, tree);
    runtime.onChange(_ -> changes.release());
  }

  public static PodUid newPod() {
    return new PodUid(UUID.randomUUID().toString());
  }

  public PodUid sandbox(SandboxSpec.MemoryVolume... volumes) throws Exception {
    var pod = newPod();
    runtime.startSandbox(spec(pod, volumes));
    return pod;
  }

  /** One whose containers see each other's processes. */
  public PodUid sharedSandbox() throws Exception {
    var pod = newPod();
    runtime.startSandbox(
        new SandboxSpec(
            pod,
            "default",
            "worker",
            "worker-0",
            SandboxSpec.Network.POD,
            List.of(),
            SandboxSpec.Processes.SHARED));
    return pod;
  }

  public static SandboxSpec spec(PodUid pod, SandboxSpec.MemoryVolume... volumes) {
    return new SandboxSpec(
        pod, "default", "worker", "worker-0", SandboxSpec.Network.POD, List.of(volumes));
  }

  public static ContainerConfig shell(PodUid pod, String name, String script) {
    return ContainerConfig.of(new ContainerKey(pod, name, 0), 1, List.of("sh", "-c", script));
  }

  public RuntimeRecord record(ContainerKey key) {
    return runtime.containers(key.pod()).stream()
        .filter(record -> record.key().equals(key))
        .findFirst()
        .orElseThrow();
  }

  /** Runs it to its end. */
  public RuntimeRecord run(ContainerConfig spec) throws Exception {
    runtime.start(spec);
    return awaitEnd(spec.key());
  }

  public RuntimeRecord awaitEnd(ContainerKey key) throws InterruptedException {
    await(() -> record(key).state() != RuntimeRecord.State.RUNNING, "end of " + key);
    return record(key);
  }

  /** Waits for a fact that a change of a container makes true. */
  public void await(BooleanSupplier fact, String what) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!fact.getAsBoolean()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new AssertionError("waited in vain for " + what);
      }
      changes.tryAcquire(left, TimeUnit.NANOSECONDS);
    }
  }

  /** The next line of a log, waiting for it. */
  public String firstLine(ContainerKey key) throws Exception {
    try (var reader = runtime.log(key, LogQuery.ALL.following())) {
      return new String(reader.next().orElseThrow().bytes(), StandardCharsets.UTF_8);
    }
  }

  public List<String> log(ContainerKey key) throws Exception {
    var lines = new ArrayList<String>();
    try (var reader = runtime.log(key, LogQuery.ALL)) {
      for (var line = reader.next(); line.isPresent(); line = reader.next()) {
        lines.add(new String(line.get().bytes(), StandardCharsets.UTF_8));
      }
    }
    return lines;
  }

  @Override
  public void close() {
    try {
      for (PodUid pod : runtime.pods()) {
        runtime.removePod(pod);
      }
    } catch (RuntimeFailure | InterruptedException e) {
      throw new AssertionError("cannot remove what the test made", e);
    } finally {
      runtime.close();
    }
  }

  /** Processes of ours that mention this text in their arguments. */
  public static List<String> processesWith(String text) {
    var found = new ArrayList<String>();
    try (var processes = Files.list(Path.of("/proc"))) {
      for (Path process : processes.toList()) {
        String line = commandLine(process);
        if (line.startsWith("regroup-") && line.contains(text)) {
          found.add(line);
        }
      }
    } catch (IOException e) {
      throw new AssertionError("cannot list processes", e);
    }
    return found;
  }

  private static String commandLine(Path process) {
    if (!process.getFileName().toString().matches("[0-9]+")) {
      return "";
    }
    try {
      return Files.readString(process.resolve("cmdline")).replace('\0', ' ');
    } catch (IOException e) {
      return ""; // ended meanwhile
    }
  }
}
