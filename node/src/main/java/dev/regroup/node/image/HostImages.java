package dev.regroup.node.image;

import dev.regroup.node.image.ImageFailure.Reason;
import org.jspecify.annotations.Nullable;

/** What stands for the images that manifests name, as long as none is unpacked. */
public enum HostImages implements Images {
  /** The machine's own files are every image, also one that must not be pulled. */
  HOST,
  /**
   * As a Kubernetes node that holds no image yet: one that must not be pulled is absent. What may
   * be pulled is taken from the machine's own files.
   */
  NONE_YET;

  @Override
  public void check(@Nullable String image, @Nullable String pullPolicy) throws ImageFailure {
    var name = image == null ? "" : image;
    var problem = ImageName.problem(name);
    if (problem.isPresent()) {
      throw new ImageFailure(
          Reason.INVALID_IMAGE_NAME,
          "Failed to apply default image tag \"%s\": couldn't parse image name \"%s\": %s"
              .formatted(name, name, problem.get()));
    }
    if (this == NONE_YET && "Never".equals(pullPolicy)) {
      throw new ImageFailure(
          Reason.ERR_IMAGE_NEVER_PULL,
          "Container image \"%s\" is not present with pull policy of Never".formatted(name));
    }
  }
}
