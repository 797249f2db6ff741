package dev.regroup.runtime.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.SandboxRecord;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.process.LifeLock;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program dies at any moment; what it ran goes on and is found again. */
@SuppressWarnings("NullAway.Init") // set before each test
class AdoptionIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path directory;
  private Path data;
  private Path gate;

  @BeforeEach
  void prepare() throws Exception {
    RootOnly.check();
    data = directory.resolve("data");
    gate = Files.createDirectory(directory.resolve("gate"));
  }

  /** A runtime in a Java program of its own, started so that it can be killed. */
  private final class Victim implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    Victim(PodUid pod, String... scripts) throws Exception {
      var command =
          new java.util.ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  VictimProgram.class.getName(),
                  data.toString(),
                  gate.toString(),
                  pod.value()));
      command.addAll(List.of(scripts));
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      output = process.inputReader(UTF_8);
    }

    String line() throws Exception {
      String line = output.readLine();
      assertThat(line).as("the victim's next word").isNotNull();
      return line;
    }

    void kill() throws Exception {
      process.destroyForcibly();
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  @Test
  void running_containers_are_the_same_processes_afterwards() throws Exception {
    var pod = Machine.newPod();
    int pid;
    int sandbox;
    try (var victim =
        new Victim(pod, "echo ready; while [ ! -e /gate/go ]; do sleep 0.01; done; exit 7")) {
      sandbox = Integer.parseInt(victim.line());
      pid = Integer.parseInt(victim.line());
      victim.kill();
    }

    try (var machine = new Machine(data)) {
      var key = new ContainerKey(pod, "c0", 0);
      var record = machine.record(key);
      assertThat(record.state()).isEqualTo(State.RUNNING);
      assertThat(record.pid()).isEqualTo(pid);
      assertThat(record.epoch()).isEqualTo(5);
      assertThat(machine.runtime.sandboxes())
          .singleElement()
          .satisfies(found -> assertThat(found.state()).isEqualTo(SandboxRecord.State.READY))
          .satisfies(found -> assertThat(found.pid()).isEqualTo(sandbox));
      assertThat(machine.runtime.run(key, List.of("true"), Duration.ofSeconds(10), 10).succeeded())
          .isTrue();

      Files.createFile(gate.resolve("go"));
      assertThat(machine.awaitEnd(key).exitCode()).isEqualTo(OptionalInt.of(7));
    }
    nothingRuns(pod);
  }

  @Test
  void an_end_that_nobody_watched_keeps_its_code_and_time() throws Exception {
    var pod = Machine.newPod();
    var key = new ContainerKey(pod, "c0", 0);
    Instant before;
    try (var victim =
        new Victim(pod, "while [ ! -e /gate/go ]; do sleep 0.01; done; echo bye; exit 9")) {
      victim.line();
      victim.line();
      victim.kill();
      before = Instant.now();
      Files.createFile(gate.resolve("go"));
      Path lock = new Layout(data).run(key).resolve(Layout.LOCK);
      assertThat(Facts.within(Duration.ofSeconds(20), () -> !held(lock))).isTrue();
    }
    var after = Instant.now();

    try (var machine = new Machine(data)) {
      var record = machine.record(key);

      assertThat(record.state()).isEqualTo(State.EXITED);
      assertThat(record.exitCode()).isEqualTo(OptionalInt.of(9));
      assertThat(record.finishedAt().orElseThrow()).isBetween(before.minusSeconds(1), after);
      assertThat(machine.log(key)).containsExactly("bye");
    }
  }

  @Test
  void an_adopted_container_is_stopped_like_any_other_and_keeps_the_reason() throws Exception {
    var pod = Machine.newPod();
    var key = new ContainerKey(pod, "c0", 0);
    try (var victim = new Victim(pod, "exec sleep 1000")) {
      victim.line();
      victim.line();
      victim.kill();
    }

    try (var machine = new Machine(data)) {
      machine.runtime.stop(key, Machine.RESTART);
    }
    try (var machine = new Machine(data)) {
      assertThat(machine.runtime.pods()).isEmpty();
    }
  }

  @Test
  void labels_survive_a_restart_of_the_program_and_those_of_the_first_stop_are_kept()
      throws Exception {
    var pod = Machine.newPod();
    var key = new ContainerKey(pod, "main", 0);
    var first = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data));
    first.startSandbox(Machine.spec(pod));
    var odd = Map.of("image", "a=b\nc\\", "stop", "no");
    first.start(Machine.shell(pod, "main", "exec sleep 1000").withLabels(odd));
    first.announceStop(key, Map.of("stop", "first"));
    first.announceStop(key, Map.of("stop", "second"));
    assertThat(first.containers(pod).getFirst().labels()).containsEntry("stop", "first");
    first.close();

    try (var machine = new Machine(data)) {
      var record = machine.runtime.stop(key, Machine.RESTART);
      assertThat(record.labels()).isEqualTo(Map.of("image", "a=b\nc\\", "stop", "first"));
      assertThat(record.exitCode()).isEqualTo(OptionalInt.of(137));
    }
  }

  /** An older version kept no labels, and a reason in words of its own. */
  @Test
  void a_container_of_an_older_version_is_adopted_without_labels() throws Exception {
    var pod = Machine.newPod();
    var key = new ContainerKey(pod, "main", 0);
    var first = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data));
    first.startSandbox(Machine.spec(pod));
    first.start(Machine.shell(pod, "main", "exec sleep 1000"));
    first.close();
    var directory = data.toRealPath().resolve("pods/" + pod + "/containers/main/0");
    Files.writeString(directory.resolve("stop"), "reason RESTART_ALL\nend\n");

    try (var machine = new Machine(data)) {
      assertThat(machine.record(key).state()).isEqualTo(State.RUNNING);
      assertThat(machine.record(key).labels()).isEmpty();
      var record = machine.runtime.stop(key, Machine.RESTART);
      assertThat(record.labels()).isEqualTo(Machine.RESTART.labels());
    }
  }

  /** Killed at many moments of many starts: each key has one process or none, never two. */
  @Test
  void a_kill_at_any_moment_of_a_start_leaves_one_process_or_a_clear_record() throws Exception {
    for (int round = 0; round < 6; round++) {
      var pod = Machine.newPod();
      try (var victim = new Victim(pod, many("exec sleep 1000", 12))) {
        victim.line(); // the sandbox is there, the starts begin
        for (int i = 0; i < round * 2; i++) {
          victim.line();
        }
        victim.kill();
      }

      try (var machine = new Machine(data)) {
        var records = machine.runtime.containers(pod);
        var running = records.stream().filter(r -> r.state() == State.RUNNING).toList();
        assertThat(records)
            .allMatch(record -> record.state() == State.RUNNING || record.state() == State.CREATED);
        assertThat(running).hasSizeGreaterThanOrEqualTo(round * 2);
        assertThat(Facts.within(SOON, () -> supervisors(pod) == running.size() + 1))
            .as("%s of %s", Machine.processesWith(pod.value()), running)
            .isTrue();
        for (var record : running) {
          assertThatThrownBy(
              () -> machine.runtime.start(ContainerConfig.of(record.key(), 1, List.of("true"))));
        }
      }
      nothingRuns(pod);
    }
  }

  /** Without the next runs of those that were adopted. */
  private static long supervisors(PodUid pod) {
    return Machine.processesWith(pod.value()).stream()
        .filter(line -> !line.endsWith(" 1 "))
        .count();
  }

  /** A supervisor ends a moment after its container is removed. */
  private static void nothingRuns(PodUid pod) {
    assertThat(Facts.within(SOON, () -> Machine.processesWith(pod.value()).isEmpty()))
        .as("%s", Machine.processesWith(pod.value()))
        .isTrue();
  }

  private static String[] many(String script, int count) {
    var scripts = new String[count];
    java.util.Arrays.fill(scripts, script);
    return scripts;
  }

  @Test
  void a_directory_without_a_process_is_created_and_can_be_removed() throws Exception {
    var pod = Machine.newPod();
    var layout = new Layout(data);
    var key = new ContainerKey(pod, "main", 3);
    try (var first = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data))) {
      first.startSandbox(Machine.spec(pod));
    }
    Files.createDirectories(layout.run(key));
    new ContainerFile(
            ContainerConfig.of(key, 2, List.of("true")), "0".repeat(64), Instant.now(), List.of())
        .write(layout.run(key).resolve(Layout.SPEC));
    Files.createDirectories(layout.run(new ContainerKey(pod, "main", 4)));

    try (var machine = new Machine(data)) {
      assertThat(machine.runtime.containers(pod))
          .singleElement()
          .satisfies(record -> assertThat(record.state()).isEqualTo(State.CREATED))
          .satisfies(record -> assertThat(record.epoch()).isEqualTo(2));
      machine.runtime.remove(key);
      assertThat(machine.runtime.containers(pod)).isEmpty();
    }
  }

  @Test
  void a_second_runtime_over_the_same_directory_is_refused() throws Exception {
    try (var machine = new Machine(data)) {
      assertThatThrownBy(() -> EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data)))
          .hasMessageContaining("is held by a running process");
      assertThat(machine.runtime.pods()).isEmpty();
    }
  }

  private static boolean held(Path lock) {
    try {
      return LifeLock.held(lock);
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }
}
