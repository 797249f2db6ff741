package dev.regroup.rules.pod;

import java.time.Duration;
import java.util.Objects;

/** A restart asked for by annotation (RAC-08). Served once per id. */
public sealed interface RestartRequest {

  record None() implements RestartRequest {}

  /**
   * The newest request.
   *
   * @param grace zero when not given (RAC-14)
   * @param container empty for all containers
   */
  record Asked(String id, String reason, Duration grace, String container)
      implements RestartRequest {
    public Asked {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(grace, "grace");
      Objects.requireNonNull(container, "container");
    }
  }

  RestartRequest NONE = new None();
}
