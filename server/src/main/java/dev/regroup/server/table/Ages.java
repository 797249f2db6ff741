package dev.regroup.server.table;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/** Durations as Kubernetes prints them for people: {@code 12s}, {@code 5m3s}, {@code 2d4h}. */
public final class Ages {
  private static final String UNKNOWN = "<unknown>";

  private Ages() {}

  /** Time since an RFC 3339 stamp; an absent or unreadable one is unknown. */
  public static String since(String stamp, Instant now) {
    if (stamp.isEmpty()) {
      return UNKNOWN;
    }
    try {
      return human(Duration.between(Instant.parse(stamp), now));
    } catch (DateTimeParseException e) {
      return UNKNOWN;
    }
  }

  public static String human(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < -1) {
      return "<invalid>"; // two clocks may differ by a moment, not by more
    }
    if (seconds < 0) {
      return "0s";
    }
    if (seconds < 120) {
      return seconds + "s";
    }
    long minutes = duration.toMinutes();
    if (minutes < 10) {
      return two(minutes, "m", seconds % 60, "s");
    }
    if (minutes < 3 * 60) {
      return minutes + "m";
    }
    long hours = duration.toHours();
    if (hours < 8) {
      return two(hours, "h", minutes % 60, "m");
    }
    if (hours < 48) {
      return hours + "h";
    }
    long days = hours / 24;
    if (days < 8) {
      return two(days, "d", hours % 24, "h");
    }
    if (days < 2 * 365) {
      return days + "d";
    }
    if (days < 8 * 365) {
      return two(days / 365, "y", days % 365, "d");
    }
    return days / 365 + "y";
  }

  private static String two(long major, String majorUnit, long minor, String minorUnit) {
    return minor == 0 ? major + majorUnit : major + majorUnit + minor + minorUnit;
  }
}
