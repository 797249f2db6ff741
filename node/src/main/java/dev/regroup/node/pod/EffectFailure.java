package dev.regroup.node.pod;

import dev.regroup.client.Backoff;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An effect could not be performed; one more fact for the next plan. */
public final class EffectFailure extends Exception {
  public EffectFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** A failed effect is tried again after 100 ms, then 200 ms, up to 10 s. */
  public static Backoff retries() {
    return new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));
  }
}
