package dev.regroup.cli.doctor;

import java.util.Objects;

/**
 * One thing that was looked at.
 *
 * @param about such as {@code containers}
 * @param found what is there
 * @param advice what to do about it; empty when nothing is to be done
 */
public record Diagnosis(State state, String about, String found, String advice) {

  /** What it means for a user. */
  public enum State {
    /** As it should be. */
    GOOD("ok"),
    /** Regroup works, and something else does not. */
    LIMITED("limited"),
    /** No cluster can be started. */
    MISSING("missing");

    private final String word;

    State(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  public Diagnosis {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(about, "about");
    Objects.requireNonNull(found, "found");
    Objects.requireNonNull(advice, "advice");
  }

  static Diagnosis good(String about, String found) {
    return new Diagnosis(State.GOOD, about, found, "");
  }

  static Diagnosis limited(String about, String found, String advice) {
    return new Diagnosis(State.LIMITED, about, found, advice);
  }

  static Diagnosis missing(String about, String found, String advice) {
    return new Diagnosis(State.MISSING, about, found, advice);
  }
}
