package dev.regroup.node.volume;

import dev.regroup.node.env.Expansion;
import dev.regroup.runtime.ContainerConfig.HostPath;
import dev.regroup.runtime.ContainerConfig.Memory;
import dev.regroup.runtime.ContainerConfig.Mount;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Turns the volume mounts of a container into mounts of the runtime. */
public final class Mounts {

  private Mounts() {}

  /** The mounts in the order given; {@code environment} serves {@code subPathExpr}. */
  public static List<Mount> of(
      List<VolumeMount> wanted, Map<String, Prepared> volumes, Map<String, String> environment)
      throws VolumeFailure {
    var mounts = new ArrayList<Mount>();
    for (var mount : wanted) {
      var volume = volumes.get(mount.getName());
      if (volume == null) {
        throw new VolumeFailure(mount.getName(), "the pod has no such volume");
      }
      mounts.add(mount(mount, volume, subPath(mount, environment)));
    }
    return mounts;
  }

  private static Mount mount(VolumeMount mount, Prepared volume, String subPath)
      throws VolumeFailure {
    boolean readOnly = Boolean.TRUE.equals(mount.getReadOnly());
    var target = mount.getMountPath();
    return switch (volume) {
      case Prepared.OnDisk(var path, var always) ->
          new Mount(
              new HostPath(path, SubPaths.check(mount.getName(), path, subPath)),
              target,
              access(readOnly || always));
      case Prepared.InMemory(var name, _, _) ->
          new Mount(new Memory(name, SubPaths.check(name, subPath)), target, access(readOnly));
    };
  }

  private static Mount.Access access(boolean readOnly) {
    return readOnly ? Mount.Access.READ_ONLY : Mount.Access.READ_WRITE;
  }

  private static String subPath(VolumeMount mount, Map<String, String> environment) {
    var expression = mount.getSubPathExpr();
    if (expression != null && !expression.isEmpty()) {
      return Expansion.expand(expression, environment);
    }
    return mount.getSubPath() == null ? "" : mount.getSubPath();
  }
}
