package dev.regroup.client.queue;

import java.time.Duration;
import java.util.Objects;

/** Result of one pass over a key. Failures of the world are exceptions, and tried again. */
public sealed interface Outcome {

  Outcome SETTLED = new Settled();

  /** Nothing to do until something changes. */
  record Settled() implements Outcome {}

  /** Look again after this time, because of this. */
  record TryAgain(Duration after, String because) implements Outcome {
    public TryAgain {
      Objects.requireNonNull(after, "after");
      Objects.requireNonNull(because, "because");
    }
  }

  static Outcome settled() {
    return SETTLED;
  }

  static Outcome tryAgain(Duration after, String because) {
    return new TryAgain(after, because);
  }
}
