package dev.regroup.rules.group;

import org.jspecify.annotations.Nullable;

/** What a pod's annotations say about its attempt (JS-38, JS-38a, JS-141, JS-152). */
public sealed interface AttemptReport {

  /** Highest attempt that can be written; its epoch is the largest int32. */
  int HIGHEST = Integer.MAX_VALUE - 1;

  /** No agent has written yet. */
  record None() implements AttemptReport {}

  /** Not a number an agent can have written, or two numbers that contradict each other. */
  record Corrupt(String text) implements AttemptReport {}

  record At(int attempt) implements AttemptReport {

    public At {
      if (attempt < 0 || attempt > HIGHEST) {
        throw new IllegalArgumentException("attempt: out of range: " + attempt);
      }
    }
  }

  AttemptReport NONE = new None();

  /**
   * Reads the released and the draft annotation.
   *
   * @param attempt value of {@code jobset.sigs.k8s.io/in-place-restart-attempt}
   * @param epoch value of {@code jobset.sigs.k8s.io/epoch}, one higher than the attempt
   */
  static AttemptReport read(@Nullable String attempt, @Nullable String epoch) {
    if (attempt == null && epoch == null) {
      return NONE;
    }
    if (epoch == null) {
      return number(attempt, 0);
    }
    var draft = number(epoch, 1);
    if (attempt == null) {
      return draft;
    }
    var released = number(attempt, 0);
    if (released instanceof Corrupt || draft instanceof Corrupt) {
      return released instanceof Corrupt ? released : draft;
    }
    return released.equals(draft) ? released : new Corrupt(attempt + " and epoch " + epoch);
  }

  /** Decimal without sign, spaces or leading zeros (JS-38a). */
  private static AttemptReport number(@Nullable String text, int first) {
    if (text == null || text.isEmpty() || text.length() > 10) {
      return new Corrupt(text == null ? "" : text);
    }
    long value = 0;
    for (int i = 0; i < text.length(); i++) {
      char digit = text.charAt(i);
      boolean leadingZero = i == 0 && digit == '0' && text.length() > 1;
      if (digit < '0' || digit > '9' || leadingZero) {
        return new Corrupt(text);
      }
      value = value * 10 + (digit - '0');
    }
    long result = value - first;
    return result < 0 || result > HIGHEST ? new Corrupt(text) : new At((int) result);
  }
}
