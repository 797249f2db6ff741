package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerSpec.Limits;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Control groups of containers that have limits; others have none, joining one costs more than the
 * rest of a start. Version 1 (a hierarchy per controller) and version 2 are found by looking at the
 * mounts and at where this program itself is. Without a writable hierarchy limits are off.
 */
final class Cgroups {

  private static final long CPU_PERIOD_MICROS = 100_000;

  /** Controller → directory to make groups in; with version 2 all are the same. */
  private final Map<String, Path> parents;

  private final boolean unified;

  private Cgroups(Map<String, Path> parents, boolean unified) {
    this.parents = Map.copyOf(parents);
    this.unified = unified;
  }

  /** Looks at this machine; never fails, it only finds nothing. */
  static Cgroups find() {
    try {
      var own = ownGroups(Files.readAllLines(Path.of("/proc/self/cgroup")));
      return of(Files.readAllLines(Path.of("/proc/self/mountinfo")), own);
    } catch (IOException e) {
      return new Cgroups(Map.of(), false);
    }
  }

  static Cgroups of(List<String> mountinfo, Map<String, String> own) {
    var first = new LinkedHashMap<String, Path>();
    Optional<Path> unified = Optional.empty();
    for (String line : mountinfo) {
      int dash = line.indexOf(" - ");
      String[] fields = line.split(" ", -1);
      if (dash < 0 || fields.length < 5) {
        continue;
      }
      String[] tail = line.substring(dash + 3).split(" ", -1);
      Path point = Path.of(fields[4]);
      if (tail[0].equals("cgroup2")) {
        unified = Optional.of(point);
      } else if (tail[0].equals("cgroup") && tail.length > 2) {
        for (String controller : tail[2].split(",", -1)) {
          String group = own.get(controller);
          if (group != null && List.of("memory", "cpu", "pids").contains(controller)) {
            first.putIfAbsent(controller, point.resolve(group.substring(1)));
          }
        }
      }
    }
    if (!first.isEmpty()) {
      return new Cgroups(first, false);
    }
    if (unified.isEmpty()) {
      return new Cgroups(Map.of(), false);
    }
    Path parent = unified.get().resolve(own.getOrDefault("", "/").substring(1));
    return new Cgroups(Map.of("memory", parent, "cpu", parent, "pids", parent), true);
  }

  /** Controller → path of this program's group; "" stands for version 2. */
  static Map<String, String> ownGroups(List<String> lines) {
    var groups = new LinkedHashMap<String, String>();
    for (String line : lines) {
      String[] fields = line.split(":", 3);
      for (String controller : fields[1].split(",", -1)) {
        groups.put(controller, fields[2]);
      }
    }
    return groups;
  }

  /** Whether limits can be set at all. */
  boolean available() {
    return parents.values().stream().anyMatch(Files::isWritable);
  }

  /** Makes the groups these limits need; the directories, to be removed with the attempt. */
  List<Path> make(String id, Limits limits) throws IOException {
    var made = new ArrayList<Path>();
    if (limits.memory().isPresent()) {
      String value = Long.toString(limits.memory().getAsLong());
      group(made, "memory", id)
          .ifPresent(group -> set(group, unified ? "memory.max" : "memory.limit_in_bytes", value));
    }
    if (limits.cpuMillis().isPresent()) {
      long quota = limits.cpuMillis().getAsInt() * CPU_PERIOD_MICROS / 1000;
      group(made, "cpu", id)
          .ifPresent(group -> {
            if (unified) {
              set(group, "cpu.max", quota + " " + CPU_PERIOD_MICROS);
            } else {
              set(group, "cpu.cfs_period_us", Long.toString(CPU_PERIOD_MICROS));
              set(group, "cpu.cfs_quota_us", Long.toString(quota));
            }
          });
    }
    if (limits.pids().isPresent()) {
      String value = Integer.toString(limits.pids().getAsInt());
      group(made, "pids", id).ifPresent(group -> set(group, "pids.max", value));
    }
    return made.stream().distinct().toList();
  }

  private Optional<Path> group(List<Path> made, String controller, String id) throws IOException {
    Path parent = parents.get(controller);
    if (parent == null || !Files.isWritable(parent)) {
      return Optional.empty();
    }
    Path group = parent.resolve("regroup-" + id.substring(0, 16));
    Files.createDirectories(group);
    made.add(group);
    return Optional.of(group);
  }

  private static void set(Path group, String name, String value) {
    try {
      Files.writeString(group.resolve(name), value);
    } catch (IOException e) {
      // The controller is not enabled here: this limit is off, the container still starts.
      System.getLogger(Cgroups.class.getName())
          .log(System.Logger.Level.DEBUG, "cannot set " + group + "/" + name, e);
    }
  }

  static boolean ranOutOfMemory(List<Path> groups) {
    for (Path group : groups) {
      if (count(group.resolve("memory.events")) > 0
          || count(group.resolve("memory.oom_control")) > 0) {
        return true;
      }
    }
    return false;
  }

  private static long count(Path file) {
    if (!Files.exists(file)) {
      return 0;
    }
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith("oom_kill ")) {
          return Long.parseLong(line.substring("oom_kill ".length()).strip());
        }
      }
      return 0;
    } catch (IOException e) {
      return 0;
    }
  }

  /** Removes the groups; one that is still in use is left and false returned. */
  static boolean remove(List<Path> groups) {
    boolean all = true;
    for (Path group : groups) {
      try {
        Files.deleteIfExists(group);
      } catch (FileSystemException e) {
        all = false;
      } catch (IOException e) {
        all = false;
      }
    }
    return all;
  }
}
