package dev.regroup.api.schema;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An amount of a resource ({@code 500m}, {@code 1Gi}, {@code 2e3}). Two spellings of one amount
 * compare equal by {@link #amount}; {@link #toString} is the one form Kubernetes stores.
 */
public record Quantity(BigDecimal amount, Format format) {

  /** Which family of suffixes the text used; kept when it is written again. */
  public enum Format {
    BINARY,
    DECIMAL,
    EXPONENT
  }

  /** Why Kubernetes refuses a text. */
  public static final String FORMAT_ERROR =
      "quantities must match the regular expression"
          + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

  public static final String SUFFIX_ERROR = "unable to parse quantity's suffix";

  private static final int LONGEST = 1_000;
  private static final Pattern TEXT =
      Pattern.compile("([+-]?)([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)([eEinumkKMGTP]*[-+]?[0-9]*)");
  private static final Pattern EXPONENT = Pattern.compile("[eE]([-+]?[0-9]+)");
  private static final List<String> BINARY = List.of("Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
  private static final List<String> LARGE = List.of("", "k", "M", "G", "T", "P", "E");
  private static final List<String> SMALL = List.of("", "m", "u", "n");
  private static final BigDecimal KIBI = BigDecimal.valueOf(1024);

  /** The quantity, or the text of Kubernetes' refusal. */
  public sealed interface Parsed {
    record Good(Quantity quantity) implements Parsed {}

    record Bad(String message) implements Parsed {}
  }

  public static Parsed parse(String text) {
    if (text.length() > LONGEST) {
      return new Parsed.Bad(FORMAT_ERROR); // reading a million digits takes minutes
    }
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return new Parsed.Bad(FORMAT_ERROR);
    }
    var number = new BigDecimal(matcher.group(2));
    if (matcher.group(1).equals("-")) {
      number = number.negate();
    }
    String suffix = matcher.group(3);
    int binary = BINARY.indexOf(suffix);
    if (binary >= 0) {
      return good(number.multiply(KIBI.pow(binary + 1)), Format.BINARY);
    }
    int large = LARGE.indexOf(suffix);
    if (large >= 0) {
      return good(number.scaleByPowerOfTen(3 * large), Format.DECIMAL);
    }
    int small = SMALL.indexOf(suffix);
    if (small >= 0) {
      return good(number.scaleByPowerOfTen(-3 * small), Format.DECIMAL);
    }
    Matcher exponent = EXPONENT.matcher(suffix);
    if (exponent.matches() && exponent.group(1).length() < 5) {
      return good(number.scaleByPowerOfTen(Integer.parseInt(exponent.group(1))), Format.EXPONENT);
    }
    return new Parsed.Bad(SUFFIX_ERROR);
  }

  /** For texts that decoding has already accepted. */
  public static Optional<Quantity> of(String text) {
    return switch (parse(text)) {
      case Parsed.Good(Quantity quantity) -> Optional.of(quantity);
      case Parsed.Bad _ -> Optional.empty();
    };
  }

  /** Nothing smaller than a billionth is kept; what is smaller counts as one (rounded away). */
  private static Parsed good(BigDecimal amount, Format format) {
    BigDecimal kept = amount.scale() > 9 ? amount.setScale(9, RoundingMode.UP) : amount;
    return new Parsed.Good(new Quantity(kept, format));
  }

  public boolean negative() {
    return amount.signum() < 0;
  }

  @Override
  public String toString() {
    if (amount.signum() == 0) {
      return "0";
    }
    return switch (format) {
      case BINARY -> isWhole() && amount.abs().compareTo(KIBI) >= 0 ? binary() : decimal();
      case DECIMAL -> decimal();
      case EXPONENT -> exponent();
    };
  }

  private boolean isWhole() {
    return amount.stripTrailingZeros().scale() <= 0;
  }

  private String binary() {
    BigInteger number = amount.toBigIntegerExact();
    var kibi = BigInteger.valueOf(1024);
    int power = 0;
    while (power < BINARY.size() && number.mod(kibi).signum() == 0) {
      number = number.divide(kibi);
      power++;
    }
    return power == 0 ? number.toString() : number + BINARY.get(power - 1);
  }

  private String decimal() {
    int power = thousands();
    BigInteger number = amount.scaleByPowerOfTen(-3 * power).toBigIntegerExact();
    return number + (power >= 0 ? LARGE.get(Math.min(power, 6)) : SMALL.get(-power));
  }

  private String exponent() {
    int power = thousands();
    BigInteger number = amount.scaleByPowerOfTen(-3 * power).toBigIntegerExact();
    return power == 0 ? number.toString() : number + "e" + 3 * power;
  }

  /** The largest power of 1000 that leaves a whole number. */
  private int thousands() {
    int scale = amount.stripTrailingZeros().scale();
    int power = Math.floorDiv(-scale, 3);
    return Math.clamp(power, -3, 6);
  }
}
