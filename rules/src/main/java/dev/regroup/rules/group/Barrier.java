package dev.regroup.rules.group;

import java.util.OptionalInt;

/**
 * The two orders of a group, as the released status fields name them (JS-28f, JS-28g). Pods at
 * {@code current} may run; pods at or below {@code previous} must restart. Neither ever goes back
 * (JS-120, JS-120a). The draft's epochs are the same numbers plus one (JS-150).
 */
public record Barrier(OptionalInt current, OptionalInt previous) {

  public static final Barrier UNSET = new Barrier(OptionalInt.empty(), OptionalInt.empty());

  /** The barrier as a status shows it: the released pair, else the draft pair (JS-151). */
  public static Barrier read(
      OptionalInt current, OptionalInt previous, int syncedEpoch, int deprecatedEpoch) {
    if (current.isPresent() || previous.isPresent()) {
      return new Barrier(current, previous);
    }
    return new Barrier(fromEpoch(syncedEpoch), fromEpoch(deprecatedEpoch));
  }

  /** Zero means "not yet" in the draft (JS-150). */
  public int syncedEpoch() {
    return current.isPresent() ? current.getAsInt() + 1 : 0;
  }

  public int deprecatedEpoch() {
    return previous.isPresent() ? previous.getAsInt() + 1 : 0;
  }

  /** The attempt a pod takes that looks now (JS-127 step 2). */
  public int next() {
    return current.isPresent() ? current.getAsInt() + 1 : 0;
  }

  /** The attempt all pods should be at: the running one, or the one they gather for. */
  public int target() {
    return gathering() ? next() : current.getAsInt();
  }

  /** Pods of the running attempt were told to restart, and the barrier has not lifted since. */
  public boolean restarting() {
    return current.isPresent() && previous.orElse(-1) >= current.getAsInt();
  }

  /** Nobody runs: the pods gather for the next attempt. */
  public boolean gathering() {
    return current.isEmpty() || restarting();
  }

  boolean mayRun(int attempt) {
    return current.isPresent() && current.getAsInt() == attempt;
  }

  boolean mustRestart(int attempt) {
    return previous.isPresent() && attempt <= previous.getAsInt();
  }

  /** The order to restart: everybody at the running attempt does. */
  public Barrier raised() {
    if (current.isEmpty()) {
      throw new IllegalStateException("no attempt runs yet, nobody can be told to restart");
    }
    int outdated = Math.max(current.getAsInt(), previous.orElse(Integer.MIN_VALUE));
    return new Barrier(current, OptionalInt.of(outdated));
  }

  /** The order to go on: everybody is at this attempt and may run. */
  public Barrier lifted(int attempt) {
    if (current.isPresent() && attempt < current.getAsInt()) {
      throw new IllegalArgumentException(
          "attempt: must not go back from " + current.getAsInt() + " to " + attempt);
    }
    return new Barrier(OptionalInt.of(attempt), previous);
  }

  private static OptionalInt fromEpoch(int epoch) {
    return epoch > 0 ? OptionalInt.of(epoch - 1) : OptionalInt.empty();
  }
}
