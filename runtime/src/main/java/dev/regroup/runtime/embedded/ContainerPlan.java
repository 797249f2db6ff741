package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerSpec;
import dev.regroup.runtime.seccomp.Filter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Everything the container tape needs, looked up beforehand: the tape itself is a pure function of
 * this.
 *
 * @param attempt the attempt's directory
 * @param log its log file
 * @param mountPoint an empty directory where the root file system is put together
 * @param shm the sandbox's shared memory file system
 * @param sandboxNamespaces what to join, as clone flags by name
 * @param processHolder the sandbox's process, if containers share its process namespace
 * @param hidden directories of the host that must not show: Regroup's data
 * @param mounts in an order in which a mount comes after those it lies in
 * @param membership how the process gets into its control groups
 * @param filter the calls its processes may make
 */
record ContainerPlan(
    ContainerSpec spec,
    Path attempt,
    Path log,
    Path mountPoint,
    Path shm,
    SandboxNetwork sandboxNamespaces,
    OptionalInt processHolder,
    List<RootEntry> root,
    List<Path> hidden,
    List<Bind> mounts,
    Membership membership,
    Optional<Filter> filter) {

  /** Whether the sandbox has a network and a host name of its own. */
  enum SandboxNetwork {
    OWN,
    HOST
  }

  enum Kind {
    FILE,
    DIRECTORY
  }

  /** How a process gets into its control groups. */
  sealed interface Membership {}

  /** It has none. */
  record NoGroups() implements Membership {}

  /** It writes itself into these files (version 1). */
  record GroupFiles(List<Path> procs) implements Membership {
    public GroupFiles {
      procs = List.copyOf(procs);
    }
  }

  /** It is born there (version 2): moving a process takes longer than the rest of a start. */
  record UnifiedGroup(Path group) implements Membership {}

  /** What stands at the target in the container before the mount. */
  enum Target {
    /** Nothing, or something a mount can cover. */
    COVERABLE,
    /** A link of the host's whose end may not exist in the container: take it away first. */
    LINK
  }

  /** A mount with its source resolved to a path of the sandbox's mount namespace. */
  record Bind(
      Path source,
      Kind kind,
      String target,
      Target at,
      ContainerSpec.Mount.Access access,
      boolean makeSource) {}

  /** For the same user. */
  ContainerPlan with(ContainerSpec newSpec) {
    return new ContainerPlan(
        newSpec,
        attempt,
        log,
        mountPoint,
        shm,
        sandboxNamespaces,
        processHolder,
        root,
        hidden,
        mounts,
        membership,
        SeccompFilters.of(newSpec.user()));
  }

  ContainerPlan {
    root = List.copyOf(root);
    hidden = List.copyOf(hidden);
    mounts = List.copyOf(mounts);
  }
}
