package dev.regroup.node.pod;

import org.jspecify.annotations.Nullable;

/** An effect could not be performed; one more fact for the next plan. */
public final class EffectFailure extends Exception {
  public EffectFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
