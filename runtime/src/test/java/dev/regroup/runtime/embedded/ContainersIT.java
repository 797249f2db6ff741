package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.SandboxSpec.MemoryVolume;
import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.embedded.tapes.Device;
import dev.regroup.runtime.process.ProcessList;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real containers: what they see, how they end, what is recorded. */
@SuppressWarnings("NullAway.Init") // set before each test
class ContainersIT {

  private static final int CAP_SYS_RESOURCE = 24;

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

  @Test
  void keeps_the_exit_code_and_both_times() throws Exception {
    var pod = machine.sandbox();
    var before = Instant.now();

    var record = machine.run(Machine.shell(pod, "main", "exit 42"));

    assertThat(record.state()).isEqualTo(State.EXITED);
    assertThat(record.exitCode()).isEqualTo(OptionalInt.of(42));
    assertThat(record.reason()).isEqualTo("Error");
    assertThat(record.epoch()).isEqualTo(1);
    assertThat(record.id()).matches("[0-9a-f]{64}");
    assertThat(record.startedAt().orElseThrow()).isBetween(before, Instant.now());
    assertThat(record.finishedAt().orElseThrow())
        .isBetween(record.startedAt().orElseThrow(), Instant.now());
  }

  @Test
  void reports_a_signal_as_128_plus_its_number() throws Exception {
    var pod = machine.sandbox();
    var spec = Machine.shell(pod, "main", "sleep 1000");
    machine.runtime.start(spec);

    machine.runtime.signal(spec.key(), Signal.SIGKILL);
    var record = machine.awaitEnd(spec.key());

    assertThat(record.exitCode()).isEqualTo(OptionalInt.of(137));
    assertThat(record.labels()).isEmpty();
  }

  @Test
  void runs_the_command_as_pid_1_with_its_own_host_name_and_processes() throws Exception {
    var pod = machine.sandbox();

    machine.run(
        Machine.shell(pod, "main", "echo $$; hostname; ls /proc | grep -c '^[0-9]*$'; id -u"));

    var log = machine.log(new ContainerKey(pod, "main", 0));
    assertThat(log.get(0)).isEqualTo("1");
    assertThat(log.get(1)).isEqualTo("worker-0");
    assertThat(Integer.parseInt(log.get(2))).isLessThan(5);
    assertThat(log.get(3)).isEqualTo("0");
  }

  @Test
  void may_open_as_many_files_as_in_a_cluster() throws Exception {
    var pod = machine.sandbox();

    machine.run(Machine.shell(pod, "main", "ulimit -Sn; ulimit -Hn"));

    String most = mayRaiseLimits() ? "1048576" : ownLimit();
    assertThat(machine.log(new ContainerKey(pod, "main", 0))).containsExactly(most, most);
  }

  private static boolean mayRaiseLimits() throws Exception {
    String rights = field(Path.of("/proc/self/status"), "CapEff:");
    return (Long.parseUnsignedLong(rights, 16) >> CAP_SYS_RESOURCE & 1) == 1;
  }

  /** A Java program raises its own limit as far as it may. */
  private static String ownLimit() throws Exception {
    return field(Path.of("/proc/self/limits"), "Max open files").split(" +", -1)[1];
  }

  private static String field(Path file, String name) throws Exception {
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void writes_of_a_container_stay_in_the_container() throws Exception {
    var pod = machine.sandbox();
    String mark = "regroup-test-" + pod;

    var first =
        machine.run(
            Machine.shell(
                pod,
                "first",
                "echo x > /etc/%s && echo x > /tmp/%s && echo x > /%s && cat /etc/%s"
                    .formatted(mark, mark, mark, mark)));
    var second =
        machine.run(
            Machine.shell(pod, "second", "test ! -e /etc/" + mark + " && test ! -e /" + mark));

    assertThat(first.exitCode()).isEqualTo(OptionalInt.of(0));
    assertThat(first.reason()).isEqualTo("Completed");
    assertThat(second.exitCode()).isEqualTo(OptionalInt.of(0));
    assertThat(Path.of("/etc", mark)).doesNotExist();
    assertThat(Path.of("/tmp", mark)).doesNotExist();
  }

  @Test
  void hides_the_data_directory_and_the_hosts_temporary_files() throws Exception {
    var pod = machine.sandbox();
    Path shown = Files.createTempDirectory(Path.of("/var/tmp"), "regroup-data");
    try (var other = new Machine(shown)) {
      var spec = Machine.shell(other.sandbox(), "main", "ls -A %s; ls -A /tmp".formatted(shown));

      other.run(spec);

      assertThat(other.log(spec.key())).isEmpty();
    } finally {
      deleteEmptied(shown);
    }
    assertThat(machine.runtime.containers(pod)).isEmpty();
  }

  private static void deleteEmptied(Path tree) throws Exception {
    try (var paths = Files.walk(tree)) {
      for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void sees_mounts_volumes_environment_and_directory() throws Exception {
    var pod = machine.sandbox(new MemoryVolume("scratch", 1 << 20, 0777));
    Path shared = Files.createDirectory(directory.resolve("shared"));
    Path hosts = Files.writeString(directory.resolve("hosts"), "10.0.0.1 me\n");
    var spec =
        Machine.shell(
                pod,
                "main",
                """
                pwd; echo "$GREETING"; cat /etc/hosts; echo data > /mnt/in/a; echo data > /fast/b
                touch /mnt/ro/x 2>/dev/null || echo read-only; printf '%s' why > /dev/termination-log
                stat -f -c %T /fast; echo ok > /dev/shm/x
                """)
            .withEnv(Map.of("GREETING", "two\nlines", "PATH", "/usr/bin:/bin"))
            .withWorkingDir("/made/for/it")
            .withMounts(
                List.of(
                    ContainerConfig.Mount.of(shared, "/mnt/in"),
                    ContainerConfig.Mount.readOnly(shared, "/mnt/ro"),
                    ContainerConfig.Mount.readOnly(hosts, "/etc/hosts"),
                    new ContainerConfig.Mount(
                        new ContainerConfig.Memory("scratch"),
                        "/fast",
                        ContainerConfig.Mount.Access.READ_WRITE)));

    machine.run(spec);

    assertThat(machine.log(spec.key()))
        .containsExactly("/made/for/it", "two", "lines", "10.0.0.1 me", "read-only", "tmpfs");
    assertThat(shared.resolve("a")).hasContent("data");
    assertThat(machine.runtime.terminationMessage(spec.key(), 4096)).isEqualTo("why");
    assertThat(machine.runtime.terminationMessage(spec.key(), 2)).isEqualTo("hy");
    var second =
        Machine.shell(pod, "second", "cat /fast/b /dev/shm/x")
            .withMounts(
                List.of(
                    new ContainerConfig.Mount(
                        new ContainerConfig.Memory("scratch"),
                        "/fast",
                        ContainerConfig.Mount.Access.READ_ONLY)));
    machine.run(second);
    assertThat(machine.log(second.key())).containsExactly("data", "ok");
  }

  @Test
  void becomes_the_user_it_is_given_without_rights() throws Exception {
    var pod = machine.sandbox();
    var user =
        new ContainerConfig.User(
            1234,
            2345,
            List.of(3456),
            java.util.Set.of(),
            ContainerConfig.Privilege.ORDINARY,
            ContainerConfig.Escalation.DENIED,
            Seccomp.UNCONFINED);
    var spec =
        Machine.shell(
                pod, "main", "id -u; id -G; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status")
            .withUser(user);

    machine.run(spec);

    assertThat(machine.log(spec.key()))
        .containsExactly(
            "1234",
            "2345 3456",
            "CapEff:\t0000000000000000",
            "CapBnd:\t0000000000000000",
            "NoNewPrivs:\t1");
  }

  @Test
  void a_read_only_root_refuses_writes_everywhere() throws Exception {
    var pod = machine.sandbox();
    var spec =
        Machine.shell(
                pod,
                "main",
                "for d in / /etc /usr /tmp /run; do touch $d/x 2>/dev/null && echo $d; done; true")
            .withRoot(ContainerConfig.RootFilesystem.READ_ONLY);

    var record = machine.run(spec);

    assertThat(record.exitCode()).isEqualTo(OptionalInt.of(0));
    assertThat(machine.log(spec.key())).isEmpty();
  }

  @Test
  void volumes_of_a_read_only_root_stay_as_they_are_wherever_they_lie() throws Exception {
    var pod = machine.sandbox(new MemoryVolume("fast", 1 << 20, 0777));
    var mounts = new ArrayList<ContainerConfig.Mount>();
    var places = List.of("/mnt", "/tmp", "/var/run", "/usr", "/opt/deep");
    for (String place : places.subList(0, 3)) {
      var made = Files.createDirectory(directory.resolve(place.substring(1).replace('/', '-')));
      mounts.add(ContainerConfig.Mount.of(made, place));
    }
    mounts.add(
        new ContainerConfig.Mount(
            new ContainerConfig.Memory("fast"),
            "/opt/deep",
            ContainerConfig.Mount.Access.READ_WRITE));
    var spec =
        Machine.shell(
                pod,
                "main",
                "for d in %s / /etc; do touch $d/x 2>/dev/null && echo $d; done; true"
                    .formatted(String.join(" ", places)))
            .withMounts(mounts)
            .withRoot(ContainerConfig.RootFilesystem.READ_ONLY);

    machine.run(spec);

    assertThat(machine.log(spec.key())).containsExactly("/mnt", "/tmp", "/var/run", "/opt/deep");
  }

  @Test
  void a_privileged_container_has_the_devices_of_the_host() throws Exception {
    var pod = machine.sandbox();
    var user =
        new ContainerConfig.User(
            0,
            0,
            List.of(),
            dev.regroup.runtime.Capabilities.ALL,
            ContainerConfig.Privilege.PRIVILEGED,
            ContainerConfig.Escalation.ALLOWED,
            Seccomp.UNCONFINED);
    var spec =
        Machine.shell(
                pod,
                "main",
                "cd /dev; find . -type b -o -type c | sed 's,./,,' | grep -v pts/; (exec 3<"
                    + " /dev/kmsg); echo $?; ls /sys/firmware | wc -l")
            .withUser(user);

    machine.run(spec);

    var log = machine.log(spec.key());
    assertThat(log)
        .containsAll(Device.ofHost().stream().map(Device::name).toList())
        .contains("null", "kmsg");
    assertThat(log.get(log.size() - 2)).isEqualTo("0");
    assertThat(log.getLast()).as("nothing of the kernel's is hidden").isNotEqualTo("0");
  }

  @Test
  void a_pod_with_the_hosts_processes_and_memory_sees_them() throws Exception {
    var pod = Machine.newPod();
    machine.runtime.startSandbox(
        new SandboxSpec(
            pod,
            "default",
            "worker",
            "worker-0",
            SandboxSpec.Network.POD,
            List.of(),
            SandboxSpec.Processes.HOST,
            SandboxSpec.Ipc.HOST,
            Map.of("net/ipv4/tcp_fin_timeout", "17")));
    long me = ProcessHandle.current().pid();
    Path shared = Files.createTempFile(Path.of("/dev/shm"), "regroup-it", "");
    var spec =
        Machine.shell(
            pod,
            "main",
            "test -d /proc/%d && echo process; test -f %s && echo memory; sleep 98767%d & exit 3"
                .formatted(me, shared, me));
    try {
      var record = machine.run(spec);

      assertThat(machine.log(spec.key())).containsExactly("process", "memory");
      assertThat(record.exitCode()).isEqualTo(OptionalInt.of(3));
      assertThat(Facts.within(Duration.ofSeconds(10), () -> !runs("98767" + me)))
          .as("what the command left behind is killed, however soon it ended")
          .isTrue();
      var settings = Machine.shell(pod, "settings", "cat /proc/sys/net/ipv4/tcp_fin_timeout");
      machine.run(settings);
      assertThat(machine.log(settings.key())).containsExactly("17");
      assertThat(Files.readString(Path.of("/proc/sys/net/ipv4/tcp_fin_timeout")).strip())
          .isNotEqualTo("17");
    } finally {
      Files.delete(shared);
    }
  }

  private static boolean runs(String argument) {
    return ProcessHandle.allProcesses()
        .map(process -> process.info().arguments().map(List::of).orElse(List.of()))
        .anyMatch(arguments -> arguments.contains(argument));
  }

  @Test
  void a_container_sees_the_processes_of_its_target() throws Exception {
    var pod = machine.sandbox();
    var target = Machine.shell(pod, "app", "exec sleep 98766");
    int app = machine.runtime.start(target).pid();
    var command = List.of("sleep", "98766");
    assertThat(Facts.within(Duration.ofSeconds(20), () -> ProcessList.runs(app, command))).isTrue();
    var debugger =
        Machine.shell(pod, "debugger", "tr '\\0' ' ' < /proc/1/cmdline; echo; ls / | grep -c etc");

    machine.run(debugger.withTarget("app"));

    assertThat(machine.log(debugger.key())).containsExactly("sleep 98766 ", "1");
    var missing = Machine.shell(pod, "other", "true").withTarget("gone");
    assertThatThrownBy(() -> machine.runtime.start(missing))
        .hasMessage("target container \"gone\" does not run");
  }

  @Test
  void a_command_that_cannot_run_is_a_start_error_with_a_record() throws Exception {
    var pod = machine.sandbox();
    var key = new ContainerKey(pod, "main", 0);

    assertThatThrownBy(
            () -> machine.runtime.start(ContainerConfig.of(key, 1, List.of("no-such-thing"))))
        .isInstanceOf(RuntimeFailure.class)
        .hasMessage(
            RuntimeRecord.REFUSED + "exec: \"no-such-thing\": executable file not found in $PATH")
        .extracting(e -> ((RuntimeFailure) e).kind())
        .isEqualTo(RuntimeFailure.Kind.START_ERROR);

    var record = machine.record(key);
    assertThat(record.state()).isEqualTo(State.EXITED);
    assertThat(record.exitCode()).isEqualTo(OptionalInt.of(128));
    assertThat(record.reason()).isEqualTo("StartError");
    assertThat(record.message()).contains("no-such-thing");
    assertThat(record.startedAt()).isEqualTo(Optional.empty());
  }

  @Test
  void a_line_of_a_log_ends_before_its_carriage_return() throws Exception {
    var pod = machine.sandbox();

    machine.run(Machine.shell(pod, "main", "printf 'a\\r\\nb\\r\\r\\nc\\rd\\n\\r\\ne\\r'"));

    assertThat(machine.log(new ContainerKey(pod, "main", 0)))
        .containsExactly("a", "b\r", "c\rd", "", "e\r");
  }

  @Test
  void a_file_that_may_not_be_executed_is_denied_by_name() throws Exception {
    var pod = machine.sandbox();
    var spec = ContainerConfig.of(new ContainerKey(pod, "main", 0), 1, List.of("/etc/passwd"));

    assertThatThrownBy(() -> machine.runtime.start(spec))
        .hasMessage(RuntimeRecord.REFUSED + "exec: \"/etc/passwd\": permission denied");
  }

  @Test
  void one_key_is_never_started_twice() throws Exception {
    var pod = machine.sandbox();
    var spec = Machine.shell(pod, "main", "sleep 1000");
    var first = machine.runtime.start(spec);

    assertThatThrownBy(() -> machine.runtime.start(spec))
        .extracting(e -> ((RuntimeFailure) e).kind())
        .isEqualTo(RuntimeFailure.Kind.ALREADY_EXISTS);

    assertThat(machine.record(spec.key()).pid()).isEqualTo(first.pid()).isPositive();
    assertThat(machine.record(spec.key()).state()).isEqualTo(RuntimeRecord.State.RUNNING);
  }

  @Test
  void a_memory_limit_kills_and_says_so() throws Exception {
    var pod = machine.sandbox();
    var spec =
        Machine.shell(
                pod, "main", "head -c 200m /dev/zero | tail -c 150m | wc -c; exec sh -c 'exit 3'")
            .withLimits(ContainerConfig.Limits.ofMemory(32 << 20));

    var record = machine.run(spec);

    assertThat(record.reason()).isEqualTo("OOMKilled");
  }
}
