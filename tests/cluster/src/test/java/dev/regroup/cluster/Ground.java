package dev.regroup.cluster;

import dev.regroup.upstream.Command;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything a cluster changes on the machine outside its folder, and the way back: a bridge with
 * the node's and the API's address, control groups, settings of the kernel, folders that programs
 * make at fixed places, processes, mounts. What was there before is written down first, so that
 * {@link #clear} also tidies up after a run that was killed.
 */
final class Ground {

  static final String BRIDGE = "regroupbr0";
  static final String NODE_ADDRESS = "10.88.77.1"; // the kubelet refuses loopback
  static final String API_ADDRESS = "10.88.79.1"; // of the service "kubernetes"
  static final String CGROUP = "regroupk8s";

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

  /** Set by the kubelet, the last by the bridge plugin. */
  private static final List<String> SETTINGS =
      List.of(
          "vm/overcommit_memory",
          "vm/panic_on_oom",
          "kernel/panic",
          "kernel/panic_on_oops",
          "kernel/keys/root_maxkeys",
          "kernel/keys/root_maxbytes",
          "net/ipv4/ip_forward");

  /** Made by programs that cannot be told another place. */
  private static final List<Path> FIXED =
      List.of(
          Path.of("/run/containerd"),
          Path.of("/run/netns"),
          Path.of("/var/lib/kubelet"),
          Path.of("/var/lib/cni"),
          Path.of("/var/lib/containerd"),
          Path.of("/var/log/containers"),
          Path.of("/var/log/pods"),
          Path.of("/usr/libexec/kubernetes"));

  private final Path programs;
  private final Path folder;
  private final Path settings;
  private final Path absent;

  /**
   * @param programs nobody else runs what is in this folder
   * @param folder of the cluster; everything in it belongs to it
   */
  Ground(Path programs, Path folder) {
    this.programs = programs;
    this.folder = folder;
    this.settings = folder.resolve("settings-before");
    this.absent = folder.resolve("absent-before");
  }

  void prepare() throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Files.write(absent, FIXED.stream().filter(Files::notExists).map(Path::toString).toList());
    var lines = new ArrayList<String>();
    for (var setting : read().entrySet()) {
      lines.add(setting.getKey() + " " + setting.getValue());
    }
    Files.write(settings, lines);
    ip("link", "add", BRIDGE, "type", "bridge");
    ip("addr", "add", NODE_ADDRESS + "/24", "dev", BRIDGE);
    ip("addr", "add", API_ADDRESS + "/32", "dev", BRIDGE);
    ip("link", "set", BRIDGE, "up");
    for (var hierarchy : hierarchies()) {
      var own = Files.createDirectories(hierarchy.resolve(CGROUP));
      for (var file : List.of("cpuset.cpus", "cpuset.mems")) {
        if (Files.exists(own.resolve(file))) {
          Files.writeString(own.resolve(file), Files.readString(hierarchy.resolve(file)));
        }
      }
    }
  }

  /** Ends and removes all that is there of a cluster in this folder, and the folder. */
  void clear() throws IOException, InterruptedException {
    killAll();
    unmountAll();
    for (var hierarchy : hierarchies()) {
      removeGroups(hierarchy.resolve(CGROUP));
    }
    if (Files.exists(Path.of("/sys/class/net", BRIDGE))) {
      ip("link", "del", BRIDGE);
    }
    if (Files.exists(settings)) {
      for (var line : Files.readAllLines(settings)) {
        int space = line.indexOf(' ');
        Files.writeString(setting(line.substring(0, space)), line.substring(space + 1));
      }
    }
    if (Files.exists(absent)) {
      for (var made : Files.readAllLines(absent)) {
        remove(Path.of(made));
      }
    }
    remove(folder);
  }

  /** What a clear machine has none of. */
  List<String> leftovers() throws IOException {
    var left = new ArrayList<String>();
    processes().forEach(process -> left.add("process " + process.pid() + " " + process.info()));
    mounts().forEach(mount -> left.add("mount " + mount));
    for (var hierarchy : hierarchies()) {
      if (Files.exists(hierarchy.resolve(CGROUP))) {
        left.add("control group " + hierarchy.resolve(CGROUP));
      }
    }
    if (Files.exists(Path.of("/sys/class/net", BRIDGE))) {
      left.add("link " + BRIDGE);
    }
    if (Files.exists(folder)) {
      left.add("folder " + folder);
    }
    return left;
  }

  /** The settings of the kernel that a cluster changes, as they are now. */
  static Map<String, String> read() throws IOException {
    var found = new LinkedHashMap<String, String>();
    for (var name : SETTINGS) {
      if (Files.exists(setting(name))) {
        found.put(name, Files.readString(setting(name)).strip());
      }
    }
    return found;
  }

  private static Path setting(String name) {
    return Path.of("/proc/sys").resolve(name);
  }

  private void killAll() throws IOException {
    Command.await(
        "the end of the cluster's processes",
        LIMIT,
        () -> {
          var left = processes();
          left.forEach(ProcessHandle::destroyForcibly);
          return left.isEmpty();
        });
  }

  /** Those whose program was built for clusters, all in containers, and who uses its API. */
  private List<ProcessHandle> processes() {
    var found = new ArrayList<ProcessHandle>();
    try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (var entry : entries) {
        if (isOurs(entry)) {
          ProcessHandle.of(Long.parseLong(entry.getFileName().toString())).ifPresent(found::add);
        }
      }
    } catch (IOException e) {
      throw new AssertionError("cannot list processes", e);
    }
    return found;
  }

  private boolean isOurs(Path process) {
    if (process.endsWith(String.valueOf(ProcessHandle.current().pid()))) {
      return false;
    }
    try {
      var stat = Files.readString(process.resolve("stat"));
      if (stat.charAt(stat.lastIndexOf(')') + 2) == 'Z') {
        return false; // has ended
      }
      return Files.readString(process.resolve("cgroup")).contains("/" + CGROUP)
          || Files.readSymbolicLink(process.resolve("exe")).startsWith(programs)
          || Files.readString(process.resolve("cmdline")).contains("\0--kubeconfig=" + folder);
    } catch (IOException e) {
      return false; // ended while we looked
    }
  }

  private List<String> mounts() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
        .map(line -> line.split(" ", -1)[1])
        .filter(place -> place.startsWith(folder + "/"))
        .toList()
        .reversed(); // the last first: one may lie in another
  }

  private void unmountAll() throws IOException, InterruptedException {
    for (var mount : mounts()) {
      Command.run(LIMIT, "umount", "--lazy", mount);
    }
  }

  private static List<Path> hierarchies() throws IOException {
    try (var entries = Files.list(CGROUPS)) {
      return entries
          .filter(entry -> !Files.isSymbolicLink(entry))
          .filter(entry -> Files.exists(entry.resolve("cgroup.procs")))
          .toList();
    }
  }

  /** Groups are removed by removing their folders, the innermost first; their files stay. */
  private static void removeGroups(Path group) throws IOException {
    if (Files.notExists(group)) {
      return;
    }
    try (var inner = Files.newDirectoryStream(group, Files::isDirectory)) {
      for (var one : inner) {
        removeGroups(one);
      }
    }
    Command.await(
        "an empty control group " + group,
        LIMIT,
        () -> {
          try {
            Files.deleteIfExists(group);
            return true;
          } catch (IOException e) {
            return false; // its last process is still leaving
          }
        });
  }

  private static void remove(Path tree) throws IOException {
    if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
              throws IOException {
            try {
              Files.delete(directory);
            } catch (NoSuchFileException | DirectoryNotEmptyException e) {
              return FileVisitResult.CONTINUE; // somebody else uses it by now
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void ip(String... words) throws IOException, InterruptedException {
    var all = new ArrayList<>(List.of("ip"));
    all.addAll(List.of(words));
    Command.run(LIMIT, all);
  }
}
