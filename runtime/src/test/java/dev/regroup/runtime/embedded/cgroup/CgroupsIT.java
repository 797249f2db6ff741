package dev.regroup.runtime.embedded.cgroup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.regroup.runtime.ContainerConfig.Limits;
import dev.regroup.runtime.ContainerConfig.Privilege;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.SandboxSpec.Processes;
import dev.regroup.runtime.embedded.EmbeddedRuntime;
import dev.regroup.runtime.embedded.Machine;
import dev.regroup.runtime.embedded.RootOnly;
import dev.regroup.runtime.embedded.files.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Control groups of the real kernel. Version 2 is tested where it is mounted, also beside version 1
 * and then without the usual controllers: that a process is in its group shows all the same.
 */
@SuppressWarnings("NullAway.Init") // set before each test
class CgroupsIT {

  private static final Limits SOME = Limits.ofMemory(256 << 20);

  @TempDir Path directory;
  private Path unified;

  @BeforeEach
  void find() throws IOException {
    RootOnly.check();
    var mounted = mountOfVersion2().filter(Files::isWritable);
    if (mounted.isEmpty()) {
      System.out.println("skipped: no writable cgroup version 2 here");
    }
    assumeTrue(mounted.isPresent(), "no writable cgroup version 2 here");
    unified =
        Files.createDirectory(mounted.get().resolve("regroup-it-" + ProcessHandle.current().pid()));
  }

  @AfterEach
  void remove() throws IOException {
    if (unified != null) {
      Files.delete(unified); // fails if a test left anything in it
    }
  }

  private static Optional<Path> mountOfVersion2() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
        .map(line -> line.split(" ", -1))
        .filter(fields -> fields[2].equals("cgroup2"))
        .map(fields -> Path.of(fields[1]))
        .findFirst();
  }

  private Machine machine() throws IOException {
    return new Machine(directory.resolve("data"), new CgroupTree.Unified(unified, Set.of()));
  }

  private static String groupOf(int pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/cgroup")).stream()
        .filter(line -> line.startsWith("0::"))
        .findFirst()
        .orElseThrow();
  }

  private List<Path> groups() throws IOException {
    try (var tree = Files.walk(unified)) {
      return tree.filter(Files::isDirectory).filter(path -> !path.equals(unified)).toList();
    }
  }

  @Test
  void a_container_that_left_its_group_is_not_adopted() throws Exception {
    var pod = Machine.newPod();
    var inside = Machine.shell(pod, "inside", "exec sleep 1000").withLimits(SOME);
    var outside = Machine.shell(pod, "outside", "exec sleep 1000").withLimits(SOME);
    var settings = EmbeddedRuntime.Settings.in(directory.resolve("data"));
    try (var first = EmbeddedRuntime.open(settings, new CgroupTree.Unified(unified, Set.of()))) {
      first.startSandbox(Machine.spec(pod));
      first.start(inside);
      int pid = first.start(outside).pid();
      Files.writeString(unified.getParent().resolve("cgroup.procs"), "" + pid);
    }

    try (var machine = machine()) {
      assertThat(machine.awaitEnd(outside.key()).exitCode()).isEqualTo(OptionalInt.of(137));
      assertThat(machine.record(inside.key()).state()).isEqualTo(RuntimeRecord.State.RUNNING);
    }
  }

  @Test
  void a_container_is_born_in_its_group_and_the_group_goes_with_it() throws Exception {
    try (var machine = machine()) {
      var pod = machine.sandbox();
      var limited = Machine.shell(pod, "limited", "sleep 1000").withLimits(SOME);
      var free = Machine.shell(pod, "free", "sleep 1000");

      var inside = machine.runtime.start(limited);
      var outside = machine.runtime.start(free);

      assertThat(groupOf(inside.pid()))
          .startsWith("0::/" + unified.getFileName() + "/regroup-")
          .endsWith("/regroup-" + inside.id().substring(0, 16));
      assertThat(groupOf(outside.pid())).endsWith("/regroup-containers");
      for (var key : List.of(limited.key(), free.key())) {
        var executed =
            machine.runtime.run(
                key, List.of("cat", "/proc/self/cgroup"), Duration.ofSeconds(10), 4096);
        assertThat(executed.output().lines()).as("the group is the root it sees").contains("0::/");
      }
      machine.runtime.removePod(pod);
      assertThat(groups()).as("only the ones for all containers").hasSize(2);
    }
    assertThat(groups()).isEmpty();
  }

  @Test
  void the_limits_of_version_1_hold_for_what_somebody_executes_in_a_container() throws Exception {
    assumeTrue(
        CgroupTree.find() instanceof CgroupTree.PerController(var own, _, _)
            && own.containsKey("memory"),
        "no memory controller of version 1 here");
    try (var machine = new Machine(directory.resolve("data"))) {
      var spec = Machine.shell(machine.sandbox(), "main", "sleep 1000").withLimits(SOME);
      machine.runtime.start(spec);
      var look = ExecRequest.of(List.of("cat", "/proc/self/cgroup"));

      try (var session = machine.runtime.exec(spec.key(), look)) {
        assertThat(new String(session.stdout().readAllBytes(), UTF_8).lines())
            .as("the group is the root it sees")
            .anyMatch(line -> line.endsWith(":memory:/"));
      }
    }
  }

  @Test
  void the_group_of_all_goes_with_the_last_process_also_where_none_is_waited_for()
      throws Exception {
    try (var machine = machine()) {
      var pod = machine.sharedSandbox();
      machine.run(Machine.shell(pod, "main", "for i in 1 2 3 4 5; do sleep 1000 & done; exit 0"));
    }

    assertThat(groups()).isEmpty();
    assertThat(directory.resolve("data/cgroups")).doesNotExist();
  }

  @Test
  void adopted_containers_keep_their_groups_and_strays_of_a_crash_go() throws Exception {
    var crashed = machine();
    var spec = Machine.shell(crashed.sandbox(), "main", "sleep 1000").withLimits(SOME);
    var running = crashed.runtime.start(spec);
    crashed.runtime.close(); // it runs on
    Files.createDirectory(groups().getFirst().resolve("regroup-stray")); // recorded nowhere

    try (var next = new Machine(crashed.directory, new CgroupTree.None())) { // from elsewhere
      assertThat(groups()).as("ours and the container's").hasSize(2);
      assertThat(next.record(spec.key()).pid()).isEqualTo(running.pid());
      assertThat(groupOf(running.pid())).endsWith(running.id().substring(0, 16));
    }

    assertThat(groups()).isEmpty();
    assertThat(crashed.directory.resolve("cgroups")).doesNotExist();
  }

  /** With whatever controller version 2 has here; passing it on is the same for all. */
  @Test
  void groups_get_the_controllers_those_above_them_can_pass_on() throws Exception {
    Path root = unified.getParent();
    String controller = words(root, "cgroup.controllers").getFirst();
    assumeTrue(!controller.isEmpty(), "version 1 has all controllers here");
    boolean was = words(root, "cgroup.subtree_control").contains(controller);
    String own = "/" + unified.getFileName() + "/own";
    Path ownGroup = Files.createDirectory(unified.resolve("own"));
    var process = new ProcessBuilder("sleep", "1000").start();
    try {
      Files.writeString(root.resolve("cgroup.subtree_control"), "+" + controller);
      Files.writeString(ownGroup.resolve("cgroup.procs"), Long.toString(process.pid()));

      var free = CgroupTree.above(root, own, List.of(controller));
      assertThat(free).isEqualTo(new CgroupTree.Unified(unified, Set.of(controller)));
      makesGroupsWith(controller, free);

      disable(unified, controller);
      Files.writeString(unified.resolve("cgroup.procs"), Long.toString(process.pid()));
      var busy = CgroupTree.above(root, own, List.of(controller));
      assertThat(busy)
          .as("a group with processes passes on nothing, the root may")
          .isEqualTo(new CgroupTree.Unified(root, Set.of(controller)));
      makesGroupsWith(controller, busy);
    } finally {
      process.destroyForcibly().waitFor();
      Files.delete(ownGroup);
      if (!was) {
        disable(root, controller);
      }
    }
  }

  private void makesGroupsWith(String controller, CgroupTree tree) throws IOException {
    var cgroups = new Cgroups(tree, new Layout(directory));
    Path made =
        cgroups.make("0123456789abcdef", SOME, Privilege.ORDINARY, Processes.OWN).getFirst();
    assertThat(words(made, "cgroup.controllers")).containsExactly(controller);
    cgroups.sweep(Set.of());
    assertThat(made.getParent()).doesNotExist();
  }

  private static void disable(Path group, String controller) throws IOException {
    Files.writeString(group.resolve("cgroup.subtree_control"), "-" + controller);
  }

  private static List<String> words(Path group, String file) throws IOException {
    return List.of(Files.readString(group.resolve(file)).strip().split(" ", -1));
  }
}
