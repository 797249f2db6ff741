package dev.regroup.node.volume;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.Expansion;
import dev.regroup.runtime.ContainerConfig.HostPath;
import dev.regroup.runtime.ContainerConfig.Memory;
import dev.regroup.runtime.ContainerConfig.Mount;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Turns the volume mounts of a container into mounts of the runtime. */
public final class Mounts {

  private final Container container;
  private final Map<String, Prepared> volumes;
  private final Map<String, String> environment;

  private Mounts(
      Container container, Map<String, Prepared> volumes, Map<String, String> environment) {
    this.container = container;
    this.volumes = volumes;
    this.environment = environment;
  }

  /** The mounts in the order given; {@code environment} serves {@code subPathExpr}. */
  public static List<Mount> of(
      Container container, Map<String, Prepared> volumes, Map<String, String> environment)
      throws ConfigFailure {
    return new Mounts(container, volumes, environment).all();
  }

  private List<Mount> all() throws ConfigFailure {
    var mounts = new ArrayList<Mount>();
    for (var mount : container.getVolumeMounts()) {
      var volume = volumes.get(mount.getName());
      if (volume == null) {
        throw new ConfigFailure(
            "cannot find volume \"%s\" to mount into container \"%s\""
                .formatted(mount.getName(), container.getName()));
      }
      mounts.add(mount(mount, volume, subPath(mount)));
    }
    return mounts;
  }

  private Mount mount(VolumeMount mount, Prepared volume, String subPath) throws ConfigFailure {
    boolean readOnly = Boolean.TRUE.equals(mount.getReadOnly());
    var path = mount.getMountPath();
    var target = path.startsWith("/") ? path : "/" + path; // as the kubelet reads it
    return switch (volume) {
      case Prepared.OnDisk(var root, var always) -> {
        var below = SubPaths.check(mount.getName(), container.getName(), root, subPath);
        yield new Mount(new HostPath(root, below), target, access(readOnly || always));
      }
      case Prepared.InMemory(var name, _, _) ->
          new Mount(new Memory(name, SubPaths.check(subPath)), target, access(readOnly));
    };
  }

  private static Mount.Access access(boolean readOnly) {
    return readOnly ? Mount.Access.READ_ONLY : Mount.Access.READ_WRITE;
  }

  /** A reference in an expression to what is not set, or empty, is refused: it names a folder. */
  private String subPath(VolumeMount mount) throws ConfigFailure {
    var expression = mount.getSubPathExpr();
    if (expression == null || expression.isEmpty()) {
      return mount.getSubPath() == null ? "" : mount.getSubPath();
    }
    var missing = new TreeSet<String>();
    var expanded =
        Expansion.expand(
            expression,
            name -> {
              var value = environment.getOrDefault(name, "");
              if (value.isEmpty()) {
                missing.add(name);
              }
              return value;
            });
    if (!missing.isEmpty()) {
      throw new ConfigFailure("missing value for " + String.join(", ", missing));
    }
    return expanded;
  }
}
