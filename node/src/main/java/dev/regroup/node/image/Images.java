package dev.regroup.node.image;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port to the images of containers: {@link HostImages} until they are unpacked. */
public interface Images {

  /**
   * Checks the image of one container before it is made (SEQ-09).
   *
   * @param pullPolicy as the spec has it
   */
  void check(@Nullable String image, @Nullable String pullPolicy) throws ImageFailure;

  /**
   * What a container of this image runs on this machine.
   *
   * @param command as the spec has it, arguments included; empty when only the image knows
   */
  default ImageProgram program(@Nullable String image, List<String> command) throws IOException {
    return new ImageProgram(command, List.of());
  }
}
