package dev.regroup.rules.group;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pods that claim one place of the group, and what the place counts for. */
final class Place {

  /** Whether the place can run again. */
  enum End {
    NONE,
    SUCCEEDED,
    GIVEN_UP
  }

  /**
   * What a place counts for; an attempt of -1 means none.
   *
   * @param sign why {@code signAttempt} has failed here
   * @param past why the place came to {@code pastAttempt}
   */
  record Share(
      int attempt,
      int signAttempt,
      @Nullable Sign sign,
      int pastAttempt,
      @Nullable Sign past,
      End end,
      int runaway) {
    static final Share NOTHING = new Share(-1, -1, null, -1, null, End.NONE, 0);

    static Share failed(int attempt, @Nullable Sign sign, int runaway) {
      return new Share(-1, attempt, sign, -1, null, End.NONE, runaway);
    }

    boolean filled() {
      return attempt >= 0 || end == End.SUCCEEDED;
    }
  }

  final List<PodReading> pods = new ArrayList<>(1);
  Share share = Share.NOTHING;

  /** A pod at this attempt vanished without success; -1 for none. */
  private int lostAttempt = -1;

  private @Nullable Sign lost;

  /** The newest sign seen here and its attempt: why the place comes to the next one. */
  private int lastSignAttempt = -1;

  private @Nullable Sign lastSign;

  boolean isEmpty() {
    return pods.isEmpty() && lostAttempt < 0;
  }

  /** A pod has vanished; if it ran and had not ended for good, the place has failed (JS-160). */
  void lose(PodReading pod) {
    boolean over =
        pod.life() == PodReading.Life.SUCCEEDED || pod.life() == PodReading.Life.GIVEN_UP;
    if (!over && pod.attempt().isPresent()) {
      lostAttempt = Math.max(lostAttempt, pod.attempt().getAsInt());
      lost = pod.sign() != null ? pod.sign() : Sign.of(Sign.Kind.POD_DELETED, pod.name());
    }
  }

  /** What the place counts for now; {@code quiet}: its Job says why pods end (JS-160b). */
  Share look(boolean quiet) {
    var now = count(quiet);
    if (now.sign() != null && now.signAttempt() >= 0) {
      lastSignAttempt = now.signAttempt();
      lastSign = now.sign();
    }
    return now;
  }

  /**
   * A place is at an attempt when exactly one pod fills it, reports that attempt and shows no sign
   * of failure; what dead pods report matters only while nobody has taken their place (JS-135).
   */
  private Share count(boolean quiet) {
    PodReading live = null;
    PodReading done = null;
    PodReading dead = null;
    boolean givenUp = false;
    int lives = 0;
    for (var pod : pods) {
      switch (pod.life()) {
        case LIVE -> {
          live = pod;
          lives++;
        }
        case SUCCEEDED -> done = pod;
        case GIVEN_UP -> givenUp = true;
        case DEAD -> dead = later(dead, pod);
      }
    }
    if (lives > 1) {
      return Share.NOTHING;
    }
    if (live != null && live.attempt().isPresent()) {
      return filled(live, live.attempt().getAsInt(), quiet);
    }
    if (live == null && done != null) {
      return new Share(done.attempt().orElse(-1), -1, null, -1, null, End.SUCCEEDED, 0);
    }
    if (live == null && givenUp) {
      return new Share(-1, -1, null, -1, null, End.GIVEN_UP, 0);
    }
    int runaway = live == null ? 0 : live.runaway();
    if (quiet) {
      return Share.failed(-1, null, runaway);
    }
    if (dead != null && dead.sign() != null && dead.attempt().orElse(-1) >= lostAttempt) {
      return Share.failed(dead.attempt().orElse(-1), dead.sign(), runaway);
    }
    return Share.failed(lostAttempt, lost, runaway);
  }

  private Share filled(PodReading live, int attempt, boolean quiet) {
    if (attempt > lostAttempt || live.sign() == null) {
      lostAttempt = -1;
      lost = null;
    }
    var past = past(live, attempt);
    if (live.sign() == null) {
      return new Share(attempt, -1, null, attempt, past, End.NONE, live.runaway());
    }
    var sign = quiet ? null : live.sign();
    return new Share(-1, attempt, sign, attempt, past, End.NONE, live.runaway());
  }

  /** Why the place is at this attempt: what its pod remembers, else what was seen here before. */
  private @Nullable Sign past(PodReading live, int attempt) {
    if (attempt == 0 || live.past() != null) {
      return live.past();
    }
    return lastSign != null && lastSignAttempt == attempt - 1
        ? lastSign
        : Sign.of(Sign.Kind.CAME_BACK_AHEAD, live.name());
  }

  private static PodReading later(@Nullable PodReading one, PodReading other) {
    return one == null || other.attempt().orElse(-1) >= one.attempt().orElse(-1) ? other : one;
  }
}
