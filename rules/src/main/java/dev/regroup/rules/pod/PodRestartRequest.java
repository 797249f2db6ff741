package dev.regroup.rules.pod;

import java.time.Duration;
import java.util.Objects;

/** A restart asked for by annotation (RAC-08). Served once per id. */
public sealed interface PodRestartRequest {

  record None() implements PodRestartRequest {}

  /**
   * The newest request.
   *
   * @param grace zero when not given (RAC-14)
   * @param container empty for all containers
   */
  record Asked(String id, String reason, Duration grace, String container)
      implements PodRestartRequest {
    public Asked {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(grace, "grace");
      Objects.requireNonNull(container, "container");
    }
  }

  PodRestartRequest NONE = new None();
}
