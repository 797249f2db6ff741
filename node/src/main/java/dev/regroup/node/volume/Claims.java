package dev.regroup.node.volume;

import java.nio.file.Path;

/** Port to the directories behind bound volume claims. They outlive pods. */
public interface Claims {

  /**
   * The directory of a claim, made when it is not there yet.
   *
   * @param volume of the pod, for the message
   * @throws VolumeFailure when there is no such claim, or it is not bound
   */
  Path directory(String volume, String namespace, String claim) throws VolumeFailure;
}
