package dev.regroup.server.resource;

import java.util.Optional;

/** A binding is an order to bind a pod; nobody keeps it. */
final class BindingStrategy implements KindStrategy {

  @Override
  public Optional<Act> actOfCreate() {
    return Optional.of(Act.BIND);
  }
}
