package dev.regroup.server.resource;

import java.util.Optional;

/** A review is a question; its answer is kept by nobody. */
final class ReviewStrategy implements KindStrategy {

  @Override
  public Optional<Act> actOfCreate() {
    return Optional.of(Act.REVIEW);
  }
}
