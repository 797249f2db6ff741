package dev.regroup.rules.progress;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How far a program said it was.
 *
 * @param number what it counts in: steps, batches, files
 * @param total how many there are, 0 if it does not say
 * @param at when it said so first
 */
public record ProgressStep(long number, long total, Instant at) {

  private static final Pattern TEXT = Pattern.compile("\\s*(\\d{1,18})(?:\\s*/\\s*(\\d{1,18}))?");

  public ProgressStep {
    if (number < 0 || total < 0) {
      throw new IllegalArgumentException("step: must not be negative: " + number + "/" + total);
    }
  }

  /** The first line of a progress file: {@code 120} or {@code 120/400}. */
  public static Optional<ProgressStep> parse(String text, Instant at) {
    String line = text.lines().findFirst().orElse("").strip();
    var match = TEXT.matcher(line);
    return match.matches() ? Optional.of(of(match.group(1), match.group(2), at)) : Optional.empty();
  }

  /** Of digits, at most 18 of them; a total that is not there is null. */
  static ProgressStep of(
      String number, @org.jspecify.annotations.Nullable String total, Instant at) {
    return new ProgressStep(Long.parseLong(number), total == null ? 0 : Long.parseLong(total), at);
  }

  /** {@code 120} or {@code 120/400}. */
  public String words() {
    return total == 0 ? Long.toString(number) : number + "/" + total;
  }
}
