package dev.regroup.rules.progress;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Finds steps in the lines a program writes. {@code step 120}, {@code global_step=120/400} and
 * {@code Step 120 of 400} are steps; {@code 120/400} is one as long as no line says {@code step}:
 * then a fraction may be anything. A pattern of the user's own replaces all of this.
 *
 * <p>Remembers what kind of line it has met; one instance per program, one thread at a time.
 */
public final class StepLines {

  /** A longer line is cut: nobody writes a step behind so much else. */
  private static final int LONGEST = 2_000;

  /** All repetitions are bounded: no line takes long. */
  private static final Pattern STEP =
      Pattern.compile(
          "(?i)(?<![a-z])(?:global[_ ])?steps?\\s{0,3}[:=#]?\\s{0,3}(\\d{1,18})(?![\\d.:])"
              + "(?:\\s{0,3}(?:/|of)\\s{0,3}(\\d{1,18}))?");

  /** Colours: what follows one would look like the end of a word. */
  private static final Pattern PAINT = Pattern.compile("\u001b\\[[0-9;]{0,40}[A-Za-z]");

  private static final Pattern FRACTION =
      Pattern.compile("(?<![\\w./:-])(\\d{1,18})\\s?/\\s?(\\d{1,18})(?![\\w/:-])");

  /** What a pattern found in a line: the step, and the total or an empty text. */
  public record Found(String number, String total) {}

  private final Optional<Function<String, Optional<Found>>> own;
  private boolean saysStep;

  private StepLines(Optional<Function<String, Optional<Found>>> own) {
    this.own = own;
  }

  public static StepLines usual() {
    return new StepLines(Optional.empty());
  }

  /** With a way to look at a line that somebody chose. */
  public static StepLines with(Function<String, Optional<Found>> pattern) {
    return new StepLines(Optional.of(pattern));
  }

  /** The step this line tells, if it does. */
  public Optional<ProgressStep> read(String line, Instant at) {
    String text = line.length() > LONGEST ? line.substring(0, LONGEST) : line;
    String start = text.indexOf('\u001b') < 0 ? text : PAINT.matcher(text).replaceAll("");
    if (own.isPresent()) {
      return own.get().apply(start).flatMap(found -> step(found, at));
    }
    if (!hasDigit(start)) {
      return Optional.empty();
    }
    var step = STEP.matcher(start);
    if (step.find()) {
      saysStep = true;
      return Optional.of(ProgressStep.of(step.group(1), step.group(2), at));
    }
    if (saysStep) {
      return Optional.empty();
    }
    var fraction = FRACTION.matcher(start);
    while (fraction.find()) {
      var found = ProgressStep.of(fraction.group(1), fraction.group(2), at);
      if (found.total() > 0 && found.number() <= found.total()) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }

  private static Optional<ProgressStep> step(Found found, Instant at) {
    String text = found.total().isEmpty() ? found.number() : found.number() + "/" + found.total();
    return ProgressStep.parse(text, at);
  }

  private static boolean hasDigit(String line) {
    for (int i = 0; i < line.length(); i++) {
      if (line.charAt(i) >= '0' && line.charAt(i) <= '9') {
        return true;
      }
    }
    return false;
  }
}
