package dev.regroup.api.cel;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Durations as Go writes them: {@code 1h30m}, {@code 1.5s}, {@code -2ms}. */
public final class GoDurations {
  private static final Pattern WHOLE =
      Pattern.compile("[-+]?(?:[0-9]{1,18}(?:\\.[0-9]{0,9})?(?:ns|us|µs|ms|s|m|h))+");
  private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]*)?)(ns|us|µs|ms|s|m|h)");
  private static final Map<String, Long> NANOS =
      Map.of(
          "ns", 1L,
          "us", 1_000L,
          "µs", 1_000L,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "m", 60_000_000_000L,
          "h", 3_600_000_000_000L);

  private GoDurations() {}

  public static Optional<Duration> parse(String text) {
    if (text.equals("0")) {
      return Optional.of(Duration.ZERO);
    }
    if (!WHOLE.matcher(text).matches()) {
      return Optional.empty();
    }
    var sum = BigDecimal.ZERO;
    var parts = PART.matcher(text);
    while (parts.find()) {
      long unit = NANOS.getOrDefault(parts.group(2), 0L);
      sum = sum.add(new BigDecimal(parts.group(1)).multiply(BigDecimal.valueOf(unit)));
    }
    if (sum.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      return Optional.empty();
    }
    var duration = Duration.ofNanos(sum.longValue());
    return Optional.of(text.startsWith("-") ? duration.negated() : duration);
  }
}
