package dev.regroup.runtime.embedded.cgroup;

import dev.regroup.runtime.ContainerConfig.Limits;
import dev.regroup.runtime.ContainerConfig.Privilege;
import dev.regroup.runtime.SandboxSpec.Processes;
import dev.regroup.runtime.embedded.files.Fields;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.tapes.ContainerPlan;
import dev.regroup.runtime.linux.Inotify;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Control groups of containers. Those that have limits have groups of their own; the others share
 * one, joining another costs more than the rest of a start. In all of version 2 the {@link
 * DeviceFilter} holds, unless the container is privileged; where version 2 has none, all containers
 * share a group of version 1 that has it. All groups of one runtime lie in a group of its own, one
 * per hierarchy; which these are is kept in a file, so that what a crash left is found. Safe for
 * several threads.
 */
public final class Cgroups {

  private static final System.Logger LOG = System.getLogger(Cgroups.class.getName());
  private static final long CPU_PERIOD_MICROS = 100_000;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(5);
  private static final String PREFIX = "regroup-";
  private static final String SHARED = PREFIX + "containers";

  private final CgroupTree tree;
  private final Path file;
  private final String name;
  private final Set<Path> parents = new LinkedHashSet<>(); // guarded by this
  private boolean passedOn; // guarded by this
  private Optional<Path> shared = Optional.empty(); // guarded by this
  private boolean unfiltered; // guarded by this: version 2 has no filter
  private Optional<Path> devices = Optional.empty(); // guarded by this: the one of version 1
  private boolean open; // guarded by this: neither version has a filter

  public Cgroups(CgroupTree tree, Layout layout) throws IOException {
    this.tree = tree;
    this.file = layout.cgroups();
    byte[] directory = layout.directory().toString().getBytes(StandardCharsets.UTF_8);
    this.name = PREFIX + UUID.nameUUIDFromBytes(directory);
    Fields.read(file).ifPresent(known -> known.all("parent").forEach(p -> parents.add(Path.of(p))));
  }

  /**
   * Makes the groups a container has for itself: those its limits need, and one of version 2 if it
   * lives among the host's processes, where only its group tells which are its own.
   *
   * @return the directories, to be removed with the run
   */
  public List<Path> make(String id, Limits limits, Privilege privilege, Processes processes)
      throws IOException {
    var groups = new ArrayList<>(limited(id, limits, privilege));
    var births = tree.births();
    if (processes == Processes.HOST
        && births.isPresent()
        && groups.stream().noneMatch(Cgroups::isUnified)) {
      Path parent = Files.createDirectories(parent(births.get()));
      groups.add(Files.createDirectory(parent.resolve(PREFIX + id.substring(0, 16))));
      if (privilege == Privilege.ORDINARY) {
        filter(groups.getLast());
      }
    }
    return groups;
  }

  private List<Path> limited(String id, Limits limits, Privilege privilege) throws IOException {
    if (!limits.any()) {
      return List.of();
    }
    String group = PREFIX + id.substring(0, 16);
    return switch (tree) {
      case CgroupTree.None() -> List.of();
      case CgroupTree.Unified(Path above, Set<String> controllers) -> {
        Path made = passOn(above, controllers).resolve(group);
        Files.createDirectory(made);
        limitUnified(made, limits);
        if (privilege == Privilege.ORDINARY) {
          filter(made);
        }
        yield List.of(made);
      }
      case CgroupTree.PerController(var own, _, _) -> {
        var made = new ArrayList<Path>();
        for (String controller : limited(limits)) {
          Path above = own.get(controller);
          if (above != null) {
            made.add(Files.createDirectories(parent(above).resolve(group)));
            limit(made.getLast(), controller, limits);
          }
        }
        yield List.copyOf(made);
      }
    };
  }

  /** How a process gets into the container's own groups, and into the one for all. */
  public ContainerPlan.Membership membership(List<Path> groups, Privilege privilege) {
    var own =
        groups.stream()
            .filter(Cgroups::isUnified)
            .map(group -> new ContainerPlan.Birth(group, ContainerPlan.Company.ALONE))
            .findFirst();
    var joined = new ArrayList<>(groups.stream().filter(group -> !isUnified(group)).toList());
    if (privilege == Privilege.ORDINARY) {
      filtering().ifPresent(joined::add);
    }
    return new ContainerPlan.Membership(own.or(() -> birth(privilege)), procs(joined));
  }

  private static List<Path> procs(List<Path> groups) {
    return groups.stream().map(group -> group.resolve("cgroup.procs")).toList();
  }

  /**
   * How a command of a probe or hook gets there: only with version 2. Moving it would take longer
   * than most probes run; what it starts in the background is not limited then. But no command is
   * without a filter of devices because the machine is old.
   */
  public ContainerPlan.Membership membershipOfProbe(List<Path> groups, Privilege privilege) {
    var filtering = privilege == Privilege.ORDINARY ? filtering() : Optional.<Path>empty();
    return new ContainerPlan.Membership(
        membership(groups, privilege).birth(), procs(filtering.stream().toList()));
  }

  private Optional<ContainerPlan.Birth> birth(Privilege privilege) {
    return switch (privilege) {
      case PRIVILEGED -> Optional.empty();
      case ORDINARY ->
          shared().map(group -> new ContainerPlan.Birth(group, ContainerPlan.Company.SHARED));
    };
  }

  /**
   * The group of all containers that need none of their own; empty where a filter is not possible.
   *
   * <p>INVARIANT: nobody is born in it before it has its filter. So one that exists already has it:
   * without processes it would have been swept.
   */
  private synchronized Optional<Path> shared() {
    var births = tree.births();
    if (shared.isPresent() || unfiltered || births.isEmpty()) {
      return shared;
    }
    try {
      Path group = Files.createDirectories(parent(births.get())).resolve(SHARED);
      if (!Files.exists(group)) {
        makeFiltered(group);
      }
      shared = Optional.of(group);
    } catch (IOException e) {
      unfiltered = true;
      LOG.log(System.Logger.Level.DEBUG, "no device filter in " + births.get(), e);
    }
    return shared;
  }

  private static void makeFiltered(Path group) throws IOException {
    Files.createDirectory(group);
    try {
      DeviceFilter.attach(group);
    } catch (SyscallFailure e) {
      removed(group);
      throw e;
    }
  }

  /**
   * The group of version 1 that all ordinary containers join because version 2 filters no devices;
   * empty where it does, and where nothing can. The invariant is that of {@link #shared}.
   */
  private synchronized Optional<Path> filtering() {
    if (devices.isPresent() || open || shared().isPresent()) {
      return devices;
    }
    try {
      Path above = tree.devices().orElseThrow(() -> new IOException("no hierarchy for devices"));
      Path group = Files.createDirectories(parent(above)).resolve(SHARED);
      if (!Files.exists(group)) {
        makeFilteredOfVersion1(group);
      }
      devices = Optional.of(group);
    } catch (IOException e) { // device files cannot be opened anyway: see RootTape
      open = true;
      LOG.log(
          System.Logger.Level.WARNING,
          "containers run without a filter of devices, only their mounts keep them from any: "
              + e.getMessage());
    }
    return devices;
  }

  private static void makeFilteredOfVersion1(Path group) throws IOException {
    Files.createDirectory(group);
    try {
      DeviceFilter.write(group);
    } catch (IOException e) {
      removed(group);
      throw e;
    }
  }

  private static void filter(Path group) {
    try {
      DeviceFilter.attach(group);
    } catch (SyscallFailure e) {
      LOG.log(System.Logger.Level.DEBUG, "no device filter in " + group, e);
    }
  }

  private static boolean isUnified(Path group) {
    return Files.exists(group.resolve("cgroup.controllers"));
  }

  /** The group all of ours lie in, noted before it is made. */
  private synchronized Path parent(Path above) throws IOException {
    Path parent = above.resolve(name);
    if (parents.add(parent)) {
      var fields = new Fields();
      parents.forEach(known -> fields.add("parent", known));
      fields.write(file);
    }
    return parent;
  }

  /** With version 2 a group has a controller's files only if those above it pass it on. */
  private synchronized Path passOn(Path above, Set<String> controllers) throws IOException {
    Path parent = parent(above);
    if (passedOn) {
      return parent;
    }
    passedOn = true;
    Files.createDirectories(parent);
    for (String controller : controllers) { // one by one: an error is for all of a line
      set(above, "cgroup.subtree_control", "+" + controller);
      set(parent, "cgroup.subtree_control", "+" + controller);
    }
    return parent;
  }

  private static List<String> limited(Limits limits) {
    var controllers = new ArrayList<String>();
    limits.memory().ifPresent(_ -> controllers.add("memory"));
    limits.cpuMillis().ifPresent(_ -> controllers.add("cpu"));
    limits.pids().ifPresent(_ -> controllers.add("pids"));
    return controllers;
  }

  private static void limitUnified(Path group, Limits limits) {
    limits.memory().ifPresent(bytes -> set(group, "memory.max", Long.toString(bytes)));
    limits
        .cpuMillis()
        .ifPresent(cpu -> set(group, "cpu.max", quota(cpu) + " " + CPU_PERIOD_MICROS));
    limits.pids().ifPresent(pids -> set(group, "pids.max", Integer.toString(pids)));
  }

  private static void limit(Path group, String controller, Limits limits) {
    switch (controller) {
      case "memory" ->
          set(group, "memory.limit_in_bytes", Long.toString(limits.memory().orElseThrow()));
      case "cpu" -> {
        set(group, "cpu.cfs_period_us", Long.toString(CPU_PERIOD_MICROS));
        set(group, "cpu.cfs_quota_us", Long.toString(quota(limits.cpuMillis().orElseThrow())));
      }
      case "pids" -> set(group, "pids.max", Integer.toString(limits.pids().orElseThrow()));
      default -> throw new IllegalStateException("no such controller: " + controller);
    }
  }

  private static long quota(int cpuMillis) {
    return cpuMillis * CPU_PERIOD_MICROS / 1000;
  }

  private static void set(Path group, String name, String value) {
    try {
      Files.writeString(group.resolve(name), value);
    } catch (IOException e) {
      // The controller is not enabled here: this limit is off, the container still starts.
      LOG.log(System.Logger.Level.DEBUG, "cannot set " + group + "/" + name, e);
    }
  }

  public static boolean ranOutOfMemory(List<Path> groups) {
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

  /** Whether the process is in all of these groups; without one its limits do not hold. */
  public static boolean hold(Collection<Path> groups, int pid) {
    if (groups.isEmpty()) {
      return true;
    }
    try {
      var memberships = Files.readAllLines(Path.of("/proc/" + pid + "/cgroup"));
      return groups.stream()
          .map(group -> "/" + group.getFileName())
          .allMatch(name -> memberships.stream().anyMatch(line -> line.contains(name)));
    } catch (IOException e) {
      return true; // it has ended, which is seen elsewhere
    }
  }

  /** Kills what an ended container left in groups of its own. */
  public static void kill(Collection<Path> groups) {
    for (Path group : groups) {
      if (isUnified(group)) {
        set(group, "cgroup.kill", "1"); // Linux 5.14
      }
    }
  }

  /** Removes the groups; one that is still in use is left to {@link #sweep}. */
  public static void remove(Collection<Path> groups) {
    groups.forEach(Cgroups::removed);
  }

  /**
   * Waits a little for processes that were killed and are not gone yet, also those of containers
   * that another program had started.
   */
  public void awaitEmpty() {
    List<Path> groups;
    synchronized (this) {
      groups = parents.stream().map(parent -> parent.resolve(SHARED)).toList();
    }
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (Path group : groups) {
      try {
        if (isUnified(group)) {
          awaitNoProcess(group, deadline);
        } else if (Files.exists(group)) {
          awaitNoProcessOfVersion1(group, deadline);
        }
      } catch (IOException e) { // then it is there for the next start to remove
        LOG.log(System.Logger.Level.DEBUG, "cannot wait for " + group, e);
      }
    }
  }

  private static void awaitNoProcess(Path group, long deadline) throws IOException {
    Path events = group.resolve("cgroup.events");
    try (var inotify = new Inotify()) {
      inotify.watch(events, Inotify.MODIFY);
      long left = deadline - System.nanoTime();
      while (left > 0 && Files.readString(events).contains("populated 1")) {
        Linux.awaitReadable(inotify.fd(), Duration.ofNanos(left));
        inotify.read();
        left = deadline - System.nanoTime();
      }
    }
  }

  /** Version 1 tells nobody when the last process is gone. */
  private static void awaitNoProcessOfVersion1(Path group, long deadline) throws IOException {
    while (!Files.readString(group.resolve("cgroup.procs")).isEmpty()
        && System.nanoTime() < deadline) {
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
    }
  }

  /** Removes groups no run has, and our own where nothing is left in it. */
  public synchronized void sweep(Set<Path> used) throws IOException {
    shared = Optional.empty(); // found again, if somebody is in it
    devices = Optional.empty();
    for (Path parent : List.copyOf(parents)) {
      for (Path group : groupsIn(parent)) {
        if (!used.contains(group)) {
          removed(group);
        }
      }
      if (removed(parent)) {
        parents.remove(parent);
        passedOn = false;
      }
    }
    if (parents.isEmpty()) {
      Files.deleteIfExists(file);
    }
  }

  private static List<Path> groupsIn(Path parent) throws IOException {
    if (!Files.isDirectory(parent)) {
      return List.of();
    }
    try (var entries = Files.newDirectoryStream(parent, PREFIX + "*")) {
      var groups = new ArrayList<Path>();
      entries.forEach(groups::add);
      return groups;
    }
  }

  private static boolean removed(Path group) {
    try {
      Files.deleteIfExists(group);
      return true;
    } catch (IOException e) {
      return false; // processes or groups are in it
    }
  }
}
