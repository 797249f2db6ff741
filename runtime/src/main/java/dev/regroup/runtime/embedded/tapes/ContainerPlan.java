package dev.regroup.runtime.embedded.tapes;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.seccomp.Filter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Everything the container tape needs, looked up beforehand: the tape itself is a pure function of
 * this.
 *
 * @param level how far it is separated from the machine
 * @param run the run's directory
 * @param log its log file
 * @param mountPoint an empty directory where the root file system is put together
 * @param shm the sandbox's shared memory file system
 * @param network whether the sandbox has a network and a host name of its own
 * @param ipc whether it has shared memory of its own
 * @param processes whose processes it sees
 * @param hidden what must not show and lies where no overlay is
 * @param masks what of the kernel's files must not show
 * @param devices in /dev
 * @param mounts in an order in which a mount comes after those it lies in
 * @param membership how the process gets into its control groups
 * @param filter the calls its processes may make
 */
public record ContainerPlan(
    IsolationLevel level,
    ContainerConfig spec,
    Path run,
    Path log,
    Path mountPoint,
    Path shm,
    SandboxSpec.Network network,
    SandboxSpec.Ipc ipc,
    Processes processes,
    List<RootEntry> root,
    List<Hidden> hidden,
    List<Hidden> masks,
    List<Device> devices,
    List<Bind> mounts,
    Membership membership,
    Optional<Filter> filter) {

  /** Whose processes the container sees. */
  public sealed interface Processes {}

  /** Its own: its command is PID 1. */
  public record OwnProcesses() implements Processes {}

  /** Everybody's. */
  public record HostProcesses() implements Processes {}

  /** Those of the pod; the sandbox's process holds the namespace for its children. */
  public record SharedProcesses(int holder) implements Processes {}

  /** Those of another container, whose descriptor the tape is given. */
  public record TargetProcesses() implements Processes {}

  public enum Kind {
    FILE,
    DIRECTORY
  }

  /**
   * How a process gets into its control groups.
   *
   * @param birth the group it is born in (version 2): moving a process takes longer than the rest
   *     of a start
   * @param procs files it writes itself into (version 1)
   */
  public record Membership(Optional<Birth> birth, List<Path> procs) {
    static final Membership NONE = new Membership(Optional.empty(), List.of());

    public Membership {
      procs = List.copyOf(procs);
    }
  }

  /** A group of version 2, and who else is in it. */
  public record Birth(Path group, Company company) {}

  public enum Company {
    /** Only this container; it may look at its group. */
    ALONE,
    /** Others, too. */
    SHARED
  }

  /** What stands at the target in the container before the mount. */
  public enum Target {
    /** Nothing, or something a mount can cover. */
    COVERABLE,
    /** A link of the host's whose end may not exist in the container: take it away first. */
    LINK
  }

  /**
   * A mount.
   *
   * @param source a path of the sandbox's mount namespace nobody but this program decides about
   * @param subPath a path below it that containers may have tampered with; empty = all of it
   * @param mode of directories that are made because the subPath misses them
   */
  public record Bind(
      Path source,
      String subPath,
      int mode,
      Kind kind,
      String target,
      Target at,
      ContainerConfig.Mount.Access access) {}

  /** For the same user. */
  public ContainerPlan with(ContainerConfig newSpec) {
    return new ContainerPlan(
        level,
        newSpec,
        run,
        log,
        mountPoint,
        shm,
        network,
        ipc,
        processes,
        root,
        hidden,
        masks,
        devices,
        mounts,
        membership,
        SeccompFilters.of(newSpec.user()));
  }

  public ContainerPlan {
    root = List.copyOf(root);
    hidden = List.copyOf(hidden);
    masks = List.copyOf(masks);
    devices = List.copyOf(devices);
    mounts = List.copyOf(mounts);
  }
}
