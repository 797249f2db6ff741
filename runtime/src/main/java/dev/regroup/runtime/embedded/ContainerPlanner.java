package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerSpec;
import dev.regroup.runtime.ContainerSpec.Mount;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.SandboxSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/** Looks up on this machine what the tape of an attempt needs to know. */
final class ContainerPlanner {

  private final Layout layout;
  private final HostView host;

  ContainerPlanner(Layout layout, HostView host) {
    this.layout = layout;
    this.host = host;
  }

  /**
   * Makes the plan.
   *
   * @param directory where the attempt's files are while the tape is set up
   * @param mounts from {@link #binds}
   * @param membership in groups that exist
   */
  ContainerPlan plan(
      ContainerSpec spec,
      Path directory,
      Path log,
      Sandbox sandbox,
      PreparedRoot root,
      List<ContainerPlan.Bind> mounts,
      ContainerPlan.Membership membership) {
    var binds = new ArrayList<>(mounts);
    binds.add(
        new ContainerPlan.Bind(
            directory.resolve(Layout.MESSAGE),
            ContainerPlan.Kind.FILE,
            spec.terminationMessagePath(),
            ContainerPlan.Target.COVERABLE,
            Mount.Access.READ_WRITE,
            false));
    binds.sort(Comparator.comparingInt(bind -> Path.of(bind.target()).getNameCount()));
    return new ContainerPlan(
        spec,
        directory,
        log,
        layout.mountPoint(),
        sandbox.shm(),
        sandbox.spec().network() == SandboxSpec.Network.POD
            ? ContainerPlan.SandboxNetwork.OWN
            : ContainerPlan.SandboxNetwork.HOST,
        processHolder(sandbox),
        root.view().entries(),
        host.hidden(),
        binds,
        membership,
        SeccompFilters.of(spec.user()));
  }

  private static OptionalInt processHolder(Sandbox sandbox) {
    return switch (sandbox.spec().processes()) {
      case OWN -> OptionalInt.empty();
      case SHARED -> OptionalInt.of(sandbox.supervisor().orElseThrow().pid());
    };
  }

  /** What the pod mounts into the container, resolved. */
  static List<ContainerPlan.Bind> binds(ContainerSpec spec, Sandbox sandbox) throws RuntimeFailure {
    var binds = new ArrayList<ContainerPlan.Bind>();
    for (Mount mount : spec.mounts()) {
      binds.add(bind(mount, sandbox));
    }
    return binds;
  }

  private static ContainerPlan.Bind bind(Mount mount, Sandbox sandbox) throws RuntimeFailure {
    return switch (mount.source()) {
      case ContainerSpec.HostPath(Path path) -> {
        if (!Files.exists(path)) {
          throw new RuntimeFailure(
              Kind.NOT_FOUND, "mount of %s: %s does not exist".formatted(mount.target(), path));
        }
        var kind = Files.isDirectory(path) ? ContainerPlan.Kind.DIRECTORY : ContainerPlan.Kind.FILE;
        // A file the host keeps as a link, like /etc/resolv.conf, may point at nothing in here.
        var at =
            kind == ContainerPlan.Kind.FILE && Files.isSymbolicLink(Path.of(mount.target()))
                ? ContainerPlan.Target.LINK
                : ContainerPlan.Target.COVERABLE;
        yield new ContainerPlan.Bind(path, kind, mount.target(), at, mount.access(), false);
      }
      case ContainerSpec.Memory(String volume, String subPath) -> {
        if (sandbox.spec().volumes().stream().noneMatch(known -> known.name().equals(volume))) {
          throw new RuntimeFailure(
              Kind.NOT_FOUND, "mount of %s: no memory volume %s".formatted(mount.target(), volume));
        }
        Path source = sandbox.volume(volume);
        yield new ContainerPlan.Bind(
            subPath.isEmpty() ? source : source.resolve(subPath),
            ContainerPlan.Kind.DIRECTORY,
            mount.target(),
            ContainerPlan.Target.COVERABLE,
            mount.access(),
            !subPath.isEmpty());
      }
    };
  }
}
