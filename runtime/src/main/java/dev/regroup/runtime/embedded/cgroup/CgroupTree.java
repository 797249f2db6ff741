package dev.regroup.runtime.embedded.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where control groups can be made on this machine. Version 1 has a hierarchy per controller,
 * version 2 has one for all; on a machine with both, version 1 has the controllers and is taken.
 * Looking changes nothing.
 */
public sealed interface CgroupTree {

  List<String> CONTROLLERS = List.of("memory", "cpu", "pids");

  /** In version 2 a program of the kernel does the same, without a controller. */
  String DEVICES = "devices";

  /** Those whose limits can be set. */
  Set<String> controllers();

  /** A group of version 2 to make others in that need no controller. */
  default Optional<Path> births() {
    return switch (this) {
      case None() -> Optional.empty();
      case PerController(_, Optional<Path> beside, _) -> beside;
      case Unified(Path above, _) -> Optional.of(above);
    };
  }

  /** This program's group of version 1 that says which devices may be opened. */
  default Optional<Path> devices() {
    return switch (this) {
      case None(), Unified(_, _) -> Optional.empty();
      case PerController(_, _, Optional<Path> filtering) -> filtering;
    };
  }

  /** Whether anything here can keep a container from opening devices. */
  default boolean filtersDevices() {
    return births().isPresent() || devices().isPresent();
  }

  /** Nowhere: limits are off. */
  record None() implements CgroupTree {
    @Override
    public Set<String> controllers() {
      return Set.of();
    }
  }

  /**
   * Version 1.
   *
   * @param own controller → this program's own group, in which others can be made
   * @param beside this program's group of version 2, where that is mounted, too: without
   *     controllers, but a process can be born there
   * @param devices this program's group in the hierarchy that filters devices
   */
  record PerController(Map<String, Path> own, Optional<Path> beside, Optional<Path> devices)
      implements CgroupTree {
    public PerController {
      own = Map.copyOf(own);
    }

    PerController(Map<String, Path> own) {
      this(own, Optional.empty(), Optional.empty());
    }

    @Override
    public Set<String> controllers() {
      return own.keySet();
    }
  }

  /**
   * Version 2.
   *
   * @param above the group to make ours in; it can pass the controllers on to them. Without any
   *     there are no limits, but still groups
   */
  record Unified(Path above, Set<String> controllers) implements CgroupTree {
    public Unified {
      controllers = Set.copyOf(controllers);
    }
  }

  /** Looks at this machine; never fails, it only finds nothing. */
  static CgroupTree find() {
    try {
      var own = ownGroups(Files.readAllLines(Path.of("/proc/self/cgroup")));
      return of(Files.readAllLines(Path.of("/proc/self/mountinfo")), own);
    } catch (IOException e) {
      return new None();
    }
  }

  static CgroupTree of(List<String> mountinfo, Map<String, String> own) {
    var perController = new LinkedHashMap<String, Path>();
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
          if (group != null && (CONTROLLERS.contains(controller) || controller.equals(DEVICES))) {
            perController.putIfAbsent(controller, point.resolve(group.substring(1)));
          }
        }
      }
    }
    var devices = Optional.ofNullable(perController.remove(DEVICES)).filter(Files::isWritable);
    if (perController.isEmpty() && unified.isPresent()) {
      return above(unified.get(), own.getOrDefault("", "/"), CONTROLLERS);
    }
    perController.values().removeIf(group -> !Files.isWritable(group));
    var beside =
        unified
            .map(mount -> mount.resolve(own.getOrDefault("", "/").substring(1)).normalize())
            .filter(Files::isWritable);
    return perController.isEmpty() && beside.isEmpty() && devices.isEmpty()
        ? new None()
        : new PerController(perController, beside, devices);
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

  /**
   * The nearest group above this program's that can pass on all controllers, else the one that can
   * pass on most. Not our own: a group with processes can pass on nothing. Where none can, the
   * nearest in which groups can be made at all.
   */
  static CgroupTree above(Path mount, String own, List<String> wanted) {
    Path group = mount.resolve(own.substring(1)).normalize();
    CgroupTree best = new None();
    while (group != null && group.startsWith(mount)) {
      var found = passedOn(group, wanted);
      boolean first = best instanceof None && Files.isWritable(group);
      if (first || found.size() > best.controllers().size()) {
        best = new Unified(group, found);
      }
      group = group.getParent();
    }
    return best;
  }

  private static Set<String> passedOn(Path group, List<String> wanted) {
    if (!Files.isWritable(group)) {
      return Set.of();
    }
    var found = new LinkedHashSet<>(words(group.resolve("cgroup.subtree_control")));
    if (isRoot(group) || words(group.resolve("cgroup.procs")).isEmpty()) {
      found.addAll(words(group.resolve("cgroup.controllers")));
    }
    found.retainAll(wanted);
    return found;
  }

  /** Only the root of the machine has no type; it may have processes. */
  private static boolean isRoot(Path group) {
    return !Files.exists(group.resolve("cgroup.type"));
  }

  private static List<String> words(Path file) {
    try {
      String text = Files.readString(file).strip();
      return text.isEmpty() ? List.of() : List.of(text.split("\\s+"));
    } catch (IOException e) {
      return List.of(); // a threaded group does not say which processes it has
    }
  }
}
