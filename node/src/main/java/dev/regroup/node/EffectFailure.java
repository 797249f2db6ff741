package dev.regroup.node;

import org.jspecify.annotations.Nullable;

/** An effect could not be performed; one more fact for the next plan. */
final class EffectFailure extends Exception {
  EffectFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
