package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/**
 * What could be left behind on a machine: processes that carry a marker in their command line or in
 * the path of their program, mounts, network links, cgroups.
 */
record Machine(Set<String> processes, Set<String> mounts, Set<String> links, Set<String> cgroups) {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Lists it now; {@code marker} is a path that everything of the test has in its arguments. */
  static Machine now(String marker) throws IOException {
    return new Machine(processesWith(marker), listMounts(marker), listLinks(), listCgroups());
  }

  /**
   * The links of the cluster with this data directory, while it runs: other programs on the machine
   * may have some, too.
   */
  static List<String> linksOf(Path data) throws IOException {
    var known = Files.readString(data.resolve("fabric").resolve("network"));
    var links = listLinks().stream().filter(known::contains).toList();
    assertThat(links).as("the link to the host").isNotEmpty();
    return links;
  }

  /** Fails when anything is left of what had this marker and these links. */
  void assertNothingIsLeft(String marker, List<String> ownLinks) throws IOException {
    var after = now(marker);
    assertThat(after.processes).as("processes left behind").isEmpty();
    assertThat(after.mounts).as("mounts left behind").isEqualTo(mounts);
    assertThat(cgroups).as("cgroups left behind").containsAll(lastingCgroups(after.cgroups));
    assertThat(after.links).as("links left behind").doesNotContainAnyElementsOf(ownLinks);
  }

  /** Other tests' cgroups are without a process for a moment, before they go, too. */
  private Set<String> lastingCgroups(Set<String> found) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    var left = new TreeSet<>(found);
    while (!cgroups.containsAll(left) && System.nanoTime() < deadline) {
      LockSupport.parkNanos(20_000_000);
      left.retainAll(listCgroups());
    }
    return left;
  }

  private static Set<String> processesWith(String marker) throws IOException {
    var found = new TreeSet<String>();
    try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path entry : entries) {
        try {
          String command = Files.readString(entry.resolve("cmdline")).replace('\0', ' ');
          if ((command.contains(marker) || program(entry).contains(marker))
              && !entry.endsWith(String.valueOf(ProcessHandle.current().pid()))) {
            found.add(entry.getFileName() + " " + command);
          }
        } catch (IOException e) {
          continue; // it ended while we looked
        }
      }
    }
    return found;
  }

  /** What it executes; supervisors of containers run a program in the data directory. */
  private static String program(Path process) {
    try {
      return Files.readSymbolicLink(process.resolve("exe")).toString();
    } catch (IOException e) {
      return ""; // a thread of the kernel, or it ended while we looked
    }
  }

  private static Set<String> listLinks() throws IOException {
    var found = new TreeSet<String>();
    try (var entries = Files.newDirectoryStream(Path.of("/sys/class/net"))) {
      entries.forEach(entry -> found.add(entry.getFileName().toString()));
    }
    return found;
  }

  /** Those without a process: what is left behind. Others on the machine may use some. */
  private static Set<String> listCgroups() throws IOException {
    var found = new TreeSet<String>();
    try (var tree = Files.walk(Path.of("/sys/fs/cgroup"), 4)) {
      tree.filter(path -> path.getFileName().toString().startsWith("regroup-"))
          .filter(Machine::isUnused)
          .forEach(path -> found.add(path.toString()));
    } catch (UncheckedIOException e) {
      return listCgroups(); // one vanished while we looked
    }
    return found;
  }

  private static boolean isUnused(Path cgroup) {
    try (var inside = Files.newDirectoryStream(cgroup, "regroup-*")) {
      return !inside.iterator().hasNext()
          && Files.readString(cgroup.resolve("cgroup.procs")).isEmpty();
    } catch (IOException e) {
      return false; // it vanished while we looked
    }
  }

  /** Without those below temporary folders of other tests. */
  private static Set<String> listMounts(String marker) throws IOException {
    var found = new TreeSet<>(Files.readAllLines(Path.of("/proc/self/mounts")));
    found.removeIf(line -> line.contains("/junit-") && !line.contains(marker));
    return found;
  }
}
