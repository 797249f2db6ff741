package dev.regroup.api.schema;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Times as Kubernetes writes them: whole seconds or microseconds, always UTC. */
public final class Times {

  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'", Locale.ROOT);
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT);

  private static final Pattern CLOCK = Pattern.compile("T\\d{2}:\\d{2}:\\d{2}");
  private static final String FRACTION = ".000000";

  private Times() {}

  /** {@code 2026-01-02T03:04:05Z}. */
  public static String seconds(Instant time) {
    return SECONDS.format(time.atOffset(ZoneOffset.UTC));
  }

  /** {@code 2026-01-02T03:04:05.000006Z}. */
  public static String micros(Instant time) {
    return MICROS.format(time.atOffset(ZoneOffset.UTC));
  }

  /** Any RFC 3339 time. */
  public static Optional<Instant> parse(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Whether the text has exactly six digits behind the second. */
  static boolean isMicros(String text) {
    return text.matches("[^.]*\\.\\d{6}(Z|[+-].*)");
  }

  /** Says at which part of the text the layout was left, in the words of Go's time package. */
  public static String complaint(String text, String layout) {
    int length = Math.min(text.length(), 10);
    boolean date = text.substring(0, length).matches("\\d{4}-\\d{2}-\\d{2}");
    String rest = date ? text.substring(length) : text;
    String part = date ? "T" : "2006";
    if (CLOCK.matcher(rest).lookingAt() && layout.contains(FRACTION)) {
      rest = rest.substring("T15:04:05".length());
      part = FRACTION;
    }
    return "parsing time %s as %s: cannot parse %s as \"%s\""
        .formatted(quoted(text), quoted(layout), quoted(rest), part);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
