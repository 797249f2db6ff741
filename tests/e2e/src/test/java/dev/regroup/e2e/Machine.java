package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What could be left behind on a machine: processes that carry a marker in their command line or in
 * the path of their program, mounts.
 */
record Machine(Set<String> processes, Set<String> mounts) {

  private static final String PARENT = "parent ";

  /**
   * What one cluster has made that nothing but its own files tells from what others made.
   *
   * @param links of its network
   * @param cgroups all of its control groups lie in these
   */
  record Made(Set<String> links, Set<Path> cgroups) {

    Made and(Made other) {
      var allLinks = new TreeSet<>(links);
      allLinks.addAll(other.links);
      var allCgroups = new TreeSet<>(cgroups);
      allCgroups.addAll(other.cgroups);
      return new Made(allLinks, allCgroups);
    }

    void assertGone() throws IOException {
      assertThat(cgroups).as("cgroups left behind").allSatisfy(c -> assertThat(c).doesNotExist());
      assertThat(listLinks()).as("links left behind").doesNotContainAnyElementsOf(links);
    }
  }

  /** Lists it now; {@code marker} is a path that everything of the test has in its arguments. */
  static Machine now(String marker) throws IOException {
    return new Machine(processesWith(marker), listMounts(marker));
  }

  /** By the cluster with this data directory, until now. */
  static Made madeBy(Path data) throws IOException {
    var known = Files.readString(data.resolve("fabric").resolve("network"));
    var links = new TreeSet<>(listLinks());
    links.removeIf(link -> !known.contains(link));
    assertThat(links).as("the link to the host").isNotEmpty();
    var cgroups = new TreeSet<Path>();
    for (Path node : nodes(data)) {
      cgroups.addAll(cgroupsOf(node.resolve("runtime").resolve("cgroups")));
    }
    return new Made(links, cgroups);
  }

  /** Where the nodes of a cluster keep their things. */
  private static List<Path> nodes(Path data) throws IOException {
    var found = new ArrayList<>(List.of(data));
    Path others = data.resolve("nodes");
    if (Files.isDirectory(others)) {
      try (var entries = Files.list(others)) {
        entries.forEach(found::add);
      }
    }
    return found;
  }

  private static Set<Path> cgroupsOf(Path file) throws IOException {
    var found = new TreeSet<Path>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(PARENT)) {
          found.add(Path.of(line.substring(PARENT.length())));
        }
      }
      assertThat(found).as("in " + file).isNotEmpty();
    }
    return found;
  }

  /** Fails when anything is left of what had this marker and of what was made. */
  void assertNothingIsLeft(String marker, Made made) throws IOException {
    var after = now(marker);
    assertThat(after.processes).as("processes left behind").isEmpty();
    assertThat(after.mounts).as("mounts left behind").isEqualTo(mounts);
    made.assertGone();
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

  /** Without those below temporary folders of other tests, and of a kubelet on this machine. */
  private static Set<String> listMounts(String marker) throws IOException {
    var found = new TreeSet<>(Files.readAllLines(Path.of("/proc/self/mounts")));
    found.removeIf(line ->
        !line.contains(marker)
            && (line.contains("/junit-")
                || line.contains("/containerd")
                || line.contains("/kubelet")));
    return found;
  }
}
