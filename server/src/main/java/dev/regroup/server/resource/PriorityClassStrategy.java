package dev.regroup.server.resource;

import java.util.Optional;

/** Priority classes: pods of the system lean on two of them, which therefore stay. */
final class PriorityClassStrategy implements KindStrategy {
  @Override
  public Optional<String> undeletable(String name) {
    return name.startsWith("system-")
        ? Optional.of("this is a system priority class and cannot be deleted")
        : Optional.empty();
  }
}
