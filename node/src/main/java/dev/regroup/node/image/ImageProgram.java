package dev.regroup.node.image;

import dev.regroup.runtime.ContainerConfig.Mount;
import java.util.List;

/**
 * What a container runs, and what of the machine it has to see for that.
 *
 * @param argv empty when nobody knows
 * @param places folders in the container where programs are found that are nowhere else
 */
public record ImageProgram(List<String> argv, List<Mount> mounts, List<String> places) {

  public ImageProgram {
    argv = List.copyOf(argv);
    mounts = List.copyOf(mounts);
    places = List.copyOf(places);
  }

  /** All programs are at the usual places. */
  public ImageProgram(List<String> argv, List<Mount> mounts) {
    this(argv, mounts, List.of());
  }
}
