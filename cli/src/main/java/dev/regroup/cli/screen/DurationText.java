package dev.regroup.cli.screen;

import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A length of time as kubectl takes it: {@code 90s}, {@code 1h30m}. */
public final class DurationText implements ITypeConverter<Duration> {

  private static final Pattern WHOLE = Pattern.compile("(?:\\d{1,9}(?:ms|s|m|h))+");
  private static final Pattern PART = Pattern.compile("(\\d+)(ms|s|m|h)");

  @Override
  public Duration convert(String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw new TypeConversionException("is no length of time (write 90s, 10m or 1h30m)");
    }
    return PART.matcher(text)
        .results()
        .map(part -> {
          long number = Long.parseLong(part.group(1));
          return switch (part.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
          };
        })
        .reduce(Duration.ZERO, Duration::plus);
  }
}
