package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.Capabilities;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.process.ProcessList;
import dev.regroup.runtime.process.Strays;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Containers of a pod that share their processes: what they see of each other and of the pod's. */
@SuppressWarnings("NullAway.Init") // set before each test
class SharedProcessesIT {

  /** Looks for a way into the process that holds the namespace; prints what it finds. */
  private static final String WAYS =
      """
      ls -A /proc/1/root/ /proc/1/cwd/ /proc/1/root/.. /proc/1/root/root 2>/dev/null | grep -v -e : -e '^$'
      cat /proc/1/environ /proc/1/mountinfo 2>/dev/null | grep -v ' - tmpfs nothing ro,'
      touch /proc/1/root/made-through-proc 2>/dev/null && echo written
      grep -E 'Cap(Prm|Eff|Inh|Amb)|NoNewPrivs|^Uid|^Groups' /proc/1/status
      """;

  private static final String[] NOTHING = {
    "Uid:\t65534\t65534\t65534\t65534",
    "Groups:\t ",
    "CapInh:\t0000000000000000",
    "CapPrm:\t0000000000000000",
    "CapEff:\t0000000000000000",
    "CapAmb:\t0000000000000000",
    "NoNewPrivs:\t1"
  };

  @TempDir Path directory;
  private Machine machine;

  @BeforeEach
  void open() throws Exception {
    RootOnly.check();
    machine = new Machine(directory.resolve("data"));
  }

  @AfterEach
  void close() throws Exception {
    Files.deleteIfExists(Path.of("/made-through-proc")); // of a run in which it led to the host
    if (machine != null) {
      machine.close();
    }
  }

  @Test
  void forbids_the_namespaces_first_process_to_lead_to_the_host() throws Exception {
    var pod = machine.sharedSandbox();

    assertThat(ways(Machine.shell(pod, "main", WAYS))).containsExactly(NOTHING);
  }

  /** Who may trace processes may become any of them. */
  @Test
  void forbids_the_namespaces_first_process_to_lead_a_debugger_to_the_host() throws Exception {
    var pod = machine.sharedSandbox();

    assertThat(ways(Machine.shell(pod, "main", WAYS).withUser(debugger())))
        .containsExactly(NOTHING);
  }

  /** The program of the first process is what starts everything on this machine. */
  @Test
  void forbids_a_debugger_to_keep_other_pods_from_starting() throws Exception {
    var pod = machine.sharedSandbox();
    var harm = "chmod 0 /proc/1/exe; echo > /proc/1/exe && echo written; echo tried";
    var debugging = Machine.shell(pod, "main", "(" + harm + ") 2>/dev/null");
    assertThat(ways(debugging.withUser(debugger()))).containsExactly("tried");
    var another = machine.sandbox();

    assertThat(ways(Machine.shell(another, "main", "echo here"))).containsExactly("here");

    // the one that runs what was spoiled, too
    assertThat(Strays.of(directory.resolve("data")))
        .filteredOn(pid -> ProcessList.arguments(pid).contains(pod.value()))
        .isNotEmpty();
  }

  private static ContainerConfig.User debugger() {
    var capabilities = new HashSet<>(Capabilities.DEFAULT);
    capabilities.add(Capabilities.number("SYS_PTRACE").orElseThrow());
    return new ContainerConfig.User(
        0,
        0,
        List.of(),
        capabilities,
        ContainerConfig.Privilege.ORDINARY,
        ContainerConfig.Escalation.ALLOWED,
        Seccomp.UNCONFINED);
  }

  private List<String> ways(ContainerConfig spec) throws Exception {
    machine.run(spec);
    return machine.log(spec.key());
  }

  @Test
  void containers_that_share_processes_see_each_other_and_are_not_pid_1() throws Exception {
    var pod = machine.sharedSandbox();
    var first = Machine.shell(pod, "first", "echo ready; exec sleep 98765");
    machine.runtime.start(first);
    assertThat(machine.firstLine(first.key())).isEqualTo("ready");

    var second =
        Machine.shell(
            pod,
            "second",
            "[ $$ = 1 ] || echo not-1; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o 'sleep"
                + " 98765' | head -n 1");
    machine.run(second);

    assertThat(machine.log(second.key())).containsExactly("not-1", "sleep 98765");
    var order = Machine.RESTART;
    var stopped = machine.runtime.stop(first.key(), order);
    assertThat(stopped.exitCode()) // it hears SIGTERM without a handler (RAC-55)
        .isEqualTo(OptionalInt.of(143));
  }

  @Test
  void a_command_that_shares_processes_can_be_killed_from_inside_and_leaves_none()
      throws Exception {
    var pod = machine.sharedSandbox();
    var other = Machine.shell(pod, "other", "sleep 1000");
    var bystander = machine.runtime.start(other);
    var spec =
        Machine.shell(
            pod, "main", "sleep 1000 & echo ready; read x < /dev/shm/go; sh -c 'kill -9 $PPID'");
    var fifo = ExecRequest.of(List.of("mkfifo", "/dev/shm/go"));
    try (var made = machine.runtime.exec(other.key(), fifo)) {
      assertThat(made.waitFor(Duration.ofSeconds(10))).isEqualTo(OptionalInt.of(0));
    }
    var running = machine.runtime.start(spec);
    assertThat(machine.firstLine(spec.key())).isEqualTo("ready");
    var child = ProcessHandle.of(running.pid()).orElseThrow().children().findFirst().orElseThrow();

    var go = ExecRequest.of(List.of("sh", "-c", "echo > /dev/shm/go"));
    try (var told = machine.runtime.exec(other.key(), go)) {
      assertThat(told.waitFor(Duration.ofSeconds(10))).isEqualTo(OptionalInt.of(0));
    }
    var record = machine.awaitEnd(spec.key());

    assertThat(record.exitCode()).isEqualTo(OptionalInt.of(137));
    assertThat(Facts.within(Duration.ofSeconds(10), () -> !child.isAlive())).isTrue();
    assertThat(Facts.alive(bystander.pid())).isTrue();
    machine.runtime.removePod(pod);
    assertThat(Facts.within(Duration.ofSeconds(10), () -> !Facts.alive(bystander.pid()))).isTrue();
    assertThat(
            Facts.within(
                Duration.ofSeconds(10), () -> Machine.processesWith(pod.value()).isEmpty()))
        .isTrue();
  }
}
