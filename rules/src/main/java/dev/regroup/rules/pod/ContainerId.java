package dev.regroup.rules.pod;

import java.util.Objects;

/** The runtime's name of one run of one container. */
public record ContainerId(String value) {
  public static final ContainerId NONE = new ContainerId("");

  public ContainerId {
    Objects.requireNonNull(value, "value");
  }

  @Override
  public String toString() {
    return value;
  }
}
