package dev.regroup.node.image;

import dev.regroup.runtime.ContainerConfig.Mount;
import java.util.List;

/**
 * What a container runs, and what of the machine it has to see for that.
 *
 * @param argv empty when nobody knows
 */
public record ImageProgram(List<String> argv, List<Mount> mounts) {

  public ImageProgram {
    argv = List.copyOf(argv);
    mounts = List.copyOf(mounts);
  }
}
