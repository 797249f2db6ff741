package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The processes of one cluster as the host sees them, for tests that kill them: supervisors,
 * sandboxes, prepared attempts, commands, the holder of the network.
 *
 * @param pods uids of the cluster's pods; others on the machine may have some, too
 */
record ClusterProcesses(Path data, Set<String> pods) {

  private static final String CONTAINER = "regroup-container";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** One process, with what its command line says of it. */
  record One(long pid, String pod, String container) {

    /**
     * PID 1 of the container, if this is a supervisor whose command runs: no longer like it. What
     * has ended has no words left, collected or not, and is none.
     */
    List<Long> commands() {
      return ProcessHandle.of(pid).stream()
          .flatMap(ProcessHandle::children)
          .map(ProcessHandle::pid)
          .filter(child -> isCommand(words(Path.of("/proc/" + child))[0]))
          .toList();
    }

    private static boolean isCommand(String name) {
      return !name.isEmpty() && !name.equals(CONTAINER);
    }
  }

  /** Supervisors of commands that run. */
  List<One> supervisors() {
    return containers().stream().filter(one -> !one.commands().isEmpty()).toList();
  }

  /** Attempts that are prepared: what waits for the word to go on, and its supervisors. */
  List<One> prepared() {
    return containers().stream().filter(one -> one.commands().isEmpty()).toList();
  }

  List<One> sandboxes() {
    return named("regroup-sandbox");
  }

  private List<One> containers() {
    return named(CONTAINER);
  }

  long holder() throws IOException {
    return Long.parseLong(Files.readString(data.resolve("fabric").resolve("holder")).strip());
  }

  /** As after a restart of the machine: none is left. The program must have been killed before. */
  void killAll() throws IOException {
    var all = new ArrayList<One>();
    all.addAll(containers());
    all.addAll(sandboxes());
    for (One one : containers()) {
      one.commands().forEach(command -> all.add(new One(command, one.pod(), one.container())));
    }
    all.add(new One(holder(), "", ""));
    all.forEach(one -> ProcessHandle.of(one.pid()).ifPresent(ProcessHandle::destroyForcibly));
    all.forEach(one -> awaitEnd(one.pid()));
  }

  /** The next program finds the files of another start of the machine. */
  void restartMachine() throws IOException {
    killAll();
    Files.writeString(data.resolve("runtime").resolve("boot"), "another-start-of-the-machine\n");
  }

  static void kill(long pid) {
    assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
    awaitEnd(pid);
  }

  static void awaitEnd(long pid) {
    await(() -> !runs(pid), "end of process " + pid);
  }

  /** A fact about the machine that no event announces. */
  static void await(BooleanSupplier fact, String what) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!fact.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited in vain for %s", what).isLessThan(deadline);
      LockSupport.parkNanos(2_000_000);
    }
  }

  /** Alive, and does not only wait to be collected. */
  static boolean runs(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  private List<One> named(String name) {
    var found = new ArrayList<One>();
    try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path entry : entries) {
        long pid = Long.parseLong(entry.getFileName().toString());
        String[] words = words(entry);
        if (words.length > 2 && words[0].equals(name) && pods.contains(words[1]) && runs(pid)) {
          found.add(new One(pid, words[1], words[2]));
        }
      }
    } catch (IOException e) {
      throw new AssertionError("cannot list processes", e);
    }
    return found;
  }

  private static String[] words(Path process) {
    try {
      return Files.readString(process.resolve("cmdline")).split("\0", -1);
    } catch (IOException e) {
      return new String[] {""}; // it has ended
    }
  }
}
