package dev.regroup.node.image;

import org.jspecify.annotations.Nullable;

/** Port to the images of containers: {@link HostImages} until they are unpacked. */
public interface Images {

  /**
   * Checks the image of one container before it is made (SEQ-09).
   *
   * @param pullPolicy as the spec has it
   */
  void check(@Nullable String image, @Nullable String pullPolicy) throws ImageFailure;
}
