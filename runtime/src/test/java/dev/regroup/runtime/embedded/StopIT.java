package dev.regroup.runtime.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.Console;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.RuntimeRecord.Warning;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.StopOrder;
import dev.regroup.runtime.embedded.files.Layout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stopping and removing, and that nothing is left behind. */
@SuppressWarnings("NullAway.Init") // set before each test
class StopIT {

  private static final String HEEDS =
      "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done";
  private static final String IGNORES =
      "trap 'echo no' TERM; echo ready; while :; do sleep 0.01; done";
  private static final String DEAF = "echo ready; sleep 1000; true";

  @TempDir Path directory;
  private Machine machine;

  @BeforeEach
  void open() throws Exception {
    RootOnly.check();
    machine = new Machine(directory.resolve("data"));
  }

  @AfterEach
  void close() throws Exception {
    if (machine != null) {
      machine.close();
    }
  }

  /** As in a restart, with a grace that nothing here comes near to. */
  private static final StopOrder PATIENT_RESTART =
      new StopOrder(
          Machine.RESTART.labels(),
          Signal.SIGTERM,
          Duration.ofSeconds(60),
          StopOrder.Deaf.IS_KILLED_AT_ONCE);

  private static final Duration LONG_BEFORE = Duration.ofSeconds(30);

  private record Stopped(RuntimeRecord record, Duration took) {}

  private Stopped stop(PodUid pod, String script, StopOrder order) throws Exception {
    var spec = Machine.shell(pod, "main", script);
    machine.runtime.start(spec);
    assertThat(machine.firstLine(spec.key())).isEqualTo("ready");
    long begin = System.nanoTime();
    var record = machine.runtime.stop(spec.key(), order);
    return new Stopped(record, Duration.ofNanos(System.nanoTime() - begin));
  }

  @Test
  void a_handler_that_ends_makes_it_completed() throws Exception {
    var order = StopOrder.gracefully(Duration.ofSeconds(60));

    var stopped = stop(machine.sandbox(), HEEDS, order);

    assertThat(stopped.record().exitCode()).isEqualTo(OptionalInt.of(0));
    assertThat(stopped.record().reason()).isEqualTo("Completed");
    assertThat(stopped.record().warning()).isEqualTo(Warning.HEARD);
    assertThat(stopped.took()).isLessThan(LONG_BEFORE);
  }

  @Test
  void a_handler_that_goes_on_is_killed_when_the_grace_is_over() throws Exception {
    var order = Machine.RESTART;

    var stopped = stop(machine.sandbox(), IGNORES, order);

    assertThat(stopped.record().exitCode()).isEqualTo(OptionalInt.of(137));
    assertThat(stopped.record().warning()).isEqualTo(Warning.HEARD);
    assertThat(stopped.took()).isBetween(Duration.ofSeconds(2), LONG_BEFORE);
  }

  @Test
  void a_deaf_process_is_killed_at_once_inside_a_restart_RAC_55() throws Exception {
    var order = PATIENT_RESTART;

    var stopped = stop(machine.sandbox(), DEAF, order);

    assertThat(stopped.record().exitCode()).isEqualTo(OptionalInt.of(137));
    assertThat(stopped.record().reason()).isEqualTo("Error");
    assertThat(stopped.record().labels()).isEqualTo(Machine.RESTART.labels());
    assertThat(stopped.record().warning()).isEqualTo(Warning.UNHEARD);
    assertThat(stopped.took()).isLessThan(LONG_BEFORE);
  }

  @Test
  void one_that_blocks_the_signal_and_asks_for_it_ends_by_itself_RAC_55() throws Exception {
    var order = PATIENT_RESTART;

    var stopped = stop(machine.sandbox(), blocking("exit 7"), order);

    assertThat(stopped.record().exitCode()).isEqualTo(OptionalInt.of(7));
    assertThat(stopped.record().warning()).isEqualTo(Warning.HEARD);
  }

  /** Shells block all signals while they start a child. */
  @Test
  void one_that_blocks_the_signal_for_a_moment_is_deaf_all_the_same_RAC_55() throws Exception {
    var order = PATIENT_RESTART;

    var stopped = stop(machine.sandbox(), blocking("sigprocmask(SIG_UNBLOCK, $s)"), order);

    assertThat(stopped.record().exitCode()).isEqualTo(OptionalInt.of(137));
    assertThat(stopped.record().warning()).isEqualTo(Warning.UNHEARD);
    assertThat(stopped.took()).isLessThan(LONG_BEFORE);
  }

  /** Blocks SIGTERM until one is there. */
  private static String blocking(String then) {
    String script =
        "use POSIX; $| = 1; $s = POSIX::SigSet->new(SIGTERM); sigprocmask(SIG_BLOCK, $s);"
            + " print qq(ready\\n); $p = POSIX::SigSet->new();"
            + " do { select(undef, undef, undef, 0.001); sigpending($p) }"
            + " until $p->ismember(SIGTERM); "
            + then
            + "; sleep 1000";
    return "exec perl -e '" + script + "'";
  }

  @Test
  void a_deaf_process_keeps_its_grace_in_other_stops_SEQ_10() throws Exception {
    var order = StopOrder.gracefully(Duration.ofSeconds(2));

    var stopped = stop(machine.sandbox(), DEAF, order);

    assertThat(stopped.record().exitCode()).isEqualTo(OptionalInt.of(137));
    assertThat(stopped.took()).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
  }

  /** DEC-50: without its reason an exit would be taken for the program's own. */
  @Test
  void a_stop_whose_labels_cannot_be_kept_is_refused_and_one_without_needs_no_disk()
      throws Exception {
    var spec = Machine.shell(machine.sandbox(), "main", DEAF);
    machine.runtime.start(spec);
    var directory = new Layout(machine.directory.toRealPath()).run(spec.key());
    Files.createDirectory(directory.resolve(Layout.STOP)); // where the file should be

    assertThatThrownBy(() -> machine.runtime.stop(spec.key(), Machine.RESTART))
        .isInstanceOfSatisfying(
            RuntimeFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(RuntimeFailure.Kind.SYSTEM));
    assertThat(machine.record(spec.key()).state()).isEqualTo(State.RUNNING);

    var stopped = machine.runtime.stop(spec.key(), Machine.RESTART.labelled(Map.of()));
    assertThat(stopped.exitCode()).isEqualTo(OptionalInt.of(137));
  }

  @Test
  void many_stop_and_start_side_by_side() throws Exception {
    var pod = machine.sandbox();
    int count = 20;
    var starts = new ArrayList<Callable<RuntimeRecord>>();
    var stops = new ArrayList<Callable<RuntimeRecord>>();
    for (int i = 0; i < count; i++) {
      var spec = Machine.shell(pod, "c" + i, IGNORES);
      starts.add(() -> machine.runtime.start(spec));
      stops.add(() -> machine.runtime.stop(spec.key(), Machine.RESTART));
    }

    List<RuntimeRecord> started = all(starts);
    long begin = System.nanoTime();
    List<RuntimeRecord> stopped = all(stops);
    var took = Duration.ofNanos(System.nanoTime() - begin);

    assertThat(started).allMatch(record -> record.state() == State.RUNNING);
    assertThat(stopped).allMatch(record -> record.exitCode().getAsInt() == 137);
    assertThat(took).isLessThan(LONG_BEFORE); // one after another: 40 s
  }

  private static List<RuntimeRecord> all(List<Callable<RuntimeRecord>> work) throws Exception {
    var results = new ArrayList<RuntimeRecord>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<RuntimeRecord> result : threads.invokeAll(work)) {
        results.add(result.get());
      }
    }
    return results;
  }

  @Test
  void a_removed_run_leaves_its_log_and_nothing_else_RAC_16() throws Exception {
    var pod = machine.sandbox();
    var spec = Machine.shell(pod, "main", "echo kept; echo x > /etc/written");
    machine.run(spec);

    machine.runtime.remove(spec.key());
    machine.runtime.remove(spec.key()); // again does no harm

    assertThat(machine.runtime.containers(pod)).isEmpty();
    assertThat(machine.log(spec.key())).containsExactly("kept");
    assertThat(machine.runtime.loggedRuns(pod, "main")).containsExactly(0);
    assertThat(new Layout(machine.directory).run(spec.key())).doesNotExist();
  }

  @Test
  void a_removed_pod_leaves_no_process_mount_file_or_thread() throws Exception {
    String mountsBefore = Files.readString(Path.of("/proc/self/mountinfo"));
    var pod = machine.sandbox();
    var spec = Machine.shell(pod, "main", DEAF);
    machine.runtime.start(spec);
    assertThat(machine.firstLine(spec.key())).isEqualTo("ready");

    machine.runtime.removePod(pod);
    machine.runtime.removePod(pod);

    assertThat(machine.runtime.pods()).isEmpty();
    assertThat(machine.runtime.sandboxes()).isEmpty();
    assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).isEqualTo(mountsBefore);
    assertThat(
            Facts.within(
                Duration.ofSeconds(10), () -> Machine.processesWith(pod.value()).isEmpty()))
        .isTrue();
    machine.runtime.close();
    assertThat(new Layout(machine.directory).trash()).isEmptyDirectory();
    machine = new Machine(directory.resolve("data"));
  }

  @Test
  void a_log_is_followed_until_the_container_ends() throws Exception {
    var pod = machine.sandbox();
    Path gate = Files.createDirectory(directory.resolve("gate"));
    var spec =
        Machine.shell(
                pod, "main", "echo one; while [ ! -e /gate/go ]; do sleep 0.01; done; printf two")
            .withMounts(List.of(ContainerConfig.Mount.of(gate, "/gate")));
    machine.runtime.start(spec);

    try (var reader = machine.runtime.log(spec.key(), LogQuery.ALL.following())) {
      var first = reader.next().orElseThrow();
      Files.createFile(gate.resolve("go"));
      var second = reader.next().orElseThrow();

      assertThat(new String(first.bytes(), UTF_8)).isEqualTo("one");
      assertThat(first.terminated()).isTrue();
      assertThat(new String(second.bytes(), UTF_8)).isEqualTo("two");
      assertThat(second.terminated()).isFalse();
      assertThat(second.time()).isAfterOrEqualTo(first.time());
      assertThat(reader.next()).isEmpty();
    }
    try (var reader = machine.runtime.log(spec.key(), LogQuery.ALL.tailing(1))) {
      assertThat(new String(reader.next().orElseThrow().bytes(), UTF_8)).isEqualTo("two");
    }
    try (var reader =
        machine.runtime.log(spec.key(), LogQuery.ALL.from(Instant.now().plusSeconds(60)))) {
      assertThat(reader.next()).isEmpty();
    }
  }

  @Test
  void a_command_runs_inside_a_running_container() throws Exception {
    var pod = machine.sandbox();
    var spec =
        Machine.shell(pod, "main", "echo here > /tmp/mark; " + DEAF)
            .withEnv(Map.of("WORD", "hello"));
    machine.runtime.start(spec);
    assertThat(machine.firstLine(spec.key())).isEqualTo("ready");
    var key = new ContainerKey(pod, "main", 0);
    var patience = Duration.ofSeconds(10);

    var fine =
        machine.runtime.run(
            key, List.of("sh", "-c", "cat /tmp/mark; echo $WORD; exit 3"), patience, 4096);
    var slow = machine.runtime.run(key, List.of("sleep", "1000"), Duration.ofMillis(200), 4096);

    assertThat(fine.exitCode()).isEqualTo(OptionalInt.of(3));
    assertThat(fine.output()).isEqualTo("here\nhello\n");
    assertThat(slow.exitCode()).isEmpty();
    assertThatThrownBy(() -> machine.runtime.run(key, List.of("no-such-thing"), patience, 99))
        .hasMessageContaining("executable file not found in $PATH");
  }

  @Test
  void a_command_in_a_container_does_not_keep_it_from_ending() throws Exception {
    var pod = machine.sandbox();
    var spec = Machine.shell(pod, "main", DEAF);
    machine.runtime.start(spec);
    assertThat(machine.firstLine(spec.key())).isEqualTo("ready");

    try (var session = machine.runtime.exec(spec.key(), ExecRequest.of(List.of("sleep", "1000")))) {
      var record = machine.runtime.stop(spec.key(), StopOrder.AT_ONCE);

      assertThat(record.exitCode()).isEqualTo(OptionalInt.of(137));
      assertThat(session.waitFor(Duration.ofSeconds(10))).isEqualTo(OptionalInt.of(137));
    }
  }

  @Test
  void a_pod_that_is_removed_while_a_container_starts_leaves_none() throws Exception {
    var pod = machine.sandbox();
    var specs = new java.util.ArrayList<ContainerConfig>();
    for (int i = 0; i < 6; i++) {
      specs.add(Machine.shell(pod, "c" + i, "exec sleep 1000"));
    }
    var starters = new java.util.ArrayList<Thread>();
    for (var spec : specs) {
      starters.add(
          Thread.startVirtualThread(() -> {
            try {
              machine.runtime.start(spec);
            } catch (dev.regroup.runtime.RuntimeFailure e) {
              return; // too late: refused
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt(); // gone while it starts
            }
          }));
    }
    starters.forEach(Thread::interrupt);

    machine.runtime.removePod(pod);

    for (var starter : starters) {
      starter.join();
    }
    assertThat(machine.runtime.containers(pod)).isEmpty();
    assertThat(
            Facts.within(
                Duration.ofSeconds(10),
                () ->
                    ProcessHandle.allProcesses()
                        .noneMatch(process ->
                            process.info().arguments().stream()
                                .flatMap(java.util.Arrays::stream)
                                .anyMatch(pod.value()::equals))))
        .as("no process of the pod lives")
        .isTrue();
  }

  @Test
  void a_session_streams_both_ways() throws Exception {
    var pod = machine.sandbox();
    var spec = Machine.shell(pod, "main", DEAF);
    machine.runtime.start(spec);

    var request = new ExecRequest(List.of("cat"), Console.INPUT);
    try (var session = machine.runtime.exec(spec.key(), request)) {
      session.stdin().write("round trip".getBytes(UTF_8));
      session.stdin().close();

      assertThat(new String(session.stdout().readAllBytes(), UTF_8)).isEqualTo("round trip");
      assertThat(session.waitFor(Duration.ofSeconds(10))).isEqualTo(OptionalInt.of(0));
    }
  }
}
