package dev.regroup.runtime.embedded.container;

import static java.util.Objects.requireNonNull;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerConfig.Mount;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.root.PreparedRoot;
import dev.regroup.runtime.embedded.sandbox.Sandbox;
import dev.regroup.runtime.embedded.tapes.ContainerPlan;
import dev.regroup.runtime.embedded.tapes.Device;
import dev.regroup.runtime.embedded.tapes.IsolationLevel;
import dev.regroup.runtime.embedded.tapes.SeccompFilters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Looks up on this machine what the tape of a run needs to know. */
public final class ContainerPlanner {

  private final Layout layout;
  private final IsolationLevel level;

  public ContainerPlanner(Layout layout, IsolationLevel level) {
    this.layout = layout;
    this.level = level;
  }

  /**
   * Makes the plan.
   *
   * @param directory where the run's files are while the tape is set up
   * @param ground what it is built on
   * @param membership in groups that exist
   */
  ContainerPlan plan(
      ContainerConfig spec,
      Path directory,
      Path log,
      Sandbox sandbox,
      PreparedRoot root,
      NextRun.Ground ground,
      ContainerPlan.Membership membership) {
    var binds = new ArrayList<>(ground.mounts());
    binds.add(
        new ContainerPlan.Bind(
            directory.resolve(Layout.MESSAGE),
            "",
            0,
            ContainerPlan.Kind.FILE,
            spec.terminationMessagePath(),
            ContainerPlan.Target.COVERABLE,
            Mount.Access.READ_WRITE));
    binds.sort(Comparator.comparingInt(bind -> Path.of(bind.target()).getNameCount()));
    return new ContainerPlan(
        level,
        spec,
        directory,
        log,
        layout.mountPoint(),
        sandbox.shm(),
        sandbox.spec().network(),
        sandbox.spec().ipc(),
        processes(spec, sandbox),
        root.view().entries(),
        root.view().uncovered(),
        root.view().masks(),
        ground.devices(),
        binds,
        membership,
        SeccompFilters.of(spec.user()));
  }

  private static ContainerPlan.Processes processes(ContainerConfig spec, Sandbox sandbox) {
    if (!spec.target().isEmpty()) {
      return new ContainerPlan.TargetProcesses();
    }
    return switch (sandbox.spec().processes()) {
      case OWN -> new ContainerPlan.OwnProcesses();
      case HOST -> new ContainerPlan.HostProcesses();
      case SHARED -> new ContainerPlan.SharedProcesses(sandbox.supervisor().orElseThrow().pid());
    };
  }

  /** The devices the container has. */
  static List<Device> devices(ContainerConfig spec) throws IOException {
    return switch (spec.user().privilege()) {
      case ORDINARY -> Device.DEFAULT;
      case PRIVILEGED -> Device.ofHost();
    };
  }

  /** What the pod mounts into the container. */
  static List<ContainerPlan.Bind> binds(ContainerConfig spec, Sandbox sandbox)
      throws IOException, RuntimeFailure {
    var binds = new ArrayList<ContainerPlan.Bind>();
    for (Mount mount : spec.mounts()) {
      binds.add(bind(mount, sandbox));
    }
    return binds;
  }

  private static ContainerPlan.Bind bind(Mount mount, Sandbox sandbox)
      throws IOException, RuntimeFailure {
    return switch (mount.source()) {
      case ContainerConfig.HostPath(Path path, String subPath) -> {
        if (!Files.exists(path)) {
          throw new RuntimeFailure(
              Kind.NOT_FOUND, "mount of %s: %s does not exist".formatted(mount.target(), path));
        }
        var kind = kind(path.resolve(subPath));
        // A file the host keeps as a link, like /etc/resolv.conf, may point at nothing in here.
        var at =
            kind == ContainerPlan.Kind.FILE && Files.isSymbolicLink(Path.of(mount.target()))
                ? ContainerPlan.Target.LINK
                : ContainerPlan.Target.COVERABLE;
        int mode = (int) requireNonNull(Files.getAttribute(path, "unix:mode")) & 0777;
        yield new ContainerPlan.Bind(path, subPath, mode, kind, mount.target(), at, mount.access());
      }
      case ContainerConfig.Memory(String volume, String subPath) -> {
        var known =
            sandbox.spec().volumes().stream()
                .filter(one -> one.name().equals(volume))
                .findFirst()
                .orElseThrow(() ->
                    new RuntimeFailure(
                        Kind.NOT_FOUND,
                        "mount of %s: no memory volume %s".formatted(mount.target(), volume)));
        Path source = sandbox.volume(volume);
        yield new ContainerPlan.Bind(
            source,
            subPath,
            known.mode() & 0777,
            subPath.isEmpty()
                ? ContainerPlan.Kind.DIRECTORY
                : kind(asSeenBy(sandbox, source.resolve(subPath))),
            mount.target(),
            ContainerPlan.Target.COVERABLE,
            mount.access());
      }
    };
  }

  /**
   * What seems to be there decides only about the place it is mounted at. A container may have
   * changed it until then, or made a link of it: then the mount fails.
   */
  private static ContainerPlan.Kind kind(Path source) {
    try {
      return Files.readAttributes(source, BasicFileAttributes.class).isDirectory()
          ? ContainerPlan.Kind.DIRECTORY
          : ContainerPlan.Kind.FILE;
    } catch (IOException e) {
      return ContainerPlan.Kind.DIRECTORY; // it is made
    }
  }

  /** The sandbox's memory volumes are mounted nowhere else. */
  private static Path asSeenBy(Sandbox sandbox, Path path) {
    return sandbox
        .supervisor()
        .map(process -> Path.of("/proc/" + process.pid() + "/root" + path))
        .orElse(path);
  }
}
