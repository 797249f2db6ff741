package dev.regroup.api.structural;

import com.google.re2j.Pattern;
import dev.regroup.api.admission.field.Addresses;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The formats of texts that a schema can demand. Formats nobody knows demand nothing. A dash in the
 * name of a format means nothing, as in Kubernetes.
 */
public final class StringFormats {
  private static final int LONGEST_HOST = 255;
  private static final int LONGEST_LABEL = 63;
  private static final int LONGEST_NAME = 253;
  private static final String HEX = "[0-9a-f]";
  private static final String NAME = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final String TO_255 = "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
  private static final Pattern TIME_OF_DAY =
      Pattern.compile("([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))");
  private static final Pattern SOME_DURATION =
      Pattern.compile(
          "(?i)\\d+\\s*(ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)");

  /** Who gives out numbers of credit cards, by the first four digits. */
  private record Issuer(int first, int last, int... lengths) {
    boolean gives(String digits) {
      if (Arrays.stream(lengths).noneMatch(length -> length == digits.length())) {
        return false;
      }
      int prefix = Integer.parseInt(digits.substring(0, 4));
      return prefix >= first && prefix <= last;
    }
  }

  private static final List<Issuer> ISSUERS =
      List.of(
          new Issuer(4000, 4999, 13, 16),
          new Issuer(5100, 5599, 16),
          new Issuer(6011, 6011, 16),
          new Issuer(6500, 6599, 16),
          new Issuer(3400, 3499, 15),
          new Issuer(3700, 3799, 15),
          new Issuer(3000, 3059, 14),
          new Issuer(3600, 3699, 14),
          new Issuer(3800, 3899, 14),
          new Issuer(2131, 2131, 15),
          new Issuer(1800, 1800, 15),
          new Issuer(3500, 3599, 16));

  private static final Map<String, Predicate<String>> KNOWN =
      Map.ofEntries(
          Map.entry("bsonobjectid", matches("(?i)" + HEX + "{24}")),
          Map.entry("uri", StringFormats::isUri),
          Map.entry("email", matches("[^@\\s<>]+@[^@\\s<>]+|[^<>]*<[^@\\s<>]+@[^@\\s<>]+>")),
          Map.entry("hostname", StringFormats::isHost),
          Map.entry("ipv4", text -> Addresses.isIpv4(text)),
          Map.entry("ipv6", text -> Addresses.isIpv6(text)),
          Map.entry("cidr", StringFormats::isCidr),
          Map.entry("mac", matches(mac(":") + "|" + mac("-") + "|" + dotted())),
          Map.entry("uuid", uuid("", "")),
          Map.entry("uuid3", uuid("3", "")),
          Map.entry("uuid4", uuid("4", "[89ab]")),
          Map.entry("uuid5", uuid("5", "[89ab]")),
          Map.entry("isbn", text -> isIsbn10(text) || isIsbn13(text)),
          Map.entry("isbn10", StringFormats::isIsbn10),
          Map.entry("isbn13", StringFormats::isIsbn13),
          Map.entry("creditcard", StringFormats::isCreditCard),
          Map.entry("ssn", matches("\\d{3}[- ]\\d{2}[- ]\\d{4}")),
          Map.entry("hexcolor", matches("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")),
          Map.entry("rgbcolor", matches("rgb\\(" + TO_255 + "," + TO_255 + "," + TO_255 + "\\)")),
          Map.entry(
              "byte",
              matches(
                  "([A-Za-z0-9+/]{4})*"
                      + "([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})")),
          Map.entry("password", _ -> true),
          Map.entry("date", StringFormats::isDate),
          Map.entry("datetime", StringFormats::isDateTime),
          Map.entry("duration", StringFormats::isDuration),
          Map.entry("k8sshortname", text -> fits(text, LONGEST_LABEL, NAME)),
          Map.entry("k8slongname", text -> fits(text, LONGEST_NAME, NAME + "(\\." + NAME + ")*")));

  private static final Set<String> OF_INTEGERS = Set.of("int32", "int64");
  private static final Set<String> OF_NUMBERS = Set.of("float", "double");

  private StringFormats() {}

  /** Whether a format means something at a place of this type. */
  public static boolean isKnown(String type, String format) {
    return switch (type) {
      case "", "string" -> KNOWN.containsKey(plain(format));
      case "integer" -> OF_INTEGERS.contains(format);
      case "number" -> OF_NUMBERS.contains(format);
      default -> false;
    };
  }

  /** Whether a text has the format; true for formats of numbers and unknown ones. */
  static boolean fits(String text, String format) {
    return KNOWN.getOrDefault(plain(format), _ -> true).test(text);
  }

  private static String plain(String format) {
    return format.replace("-", "");
  }

  private static Predicate<String> matches(String expression) {
    var pattern = Pattern.compile("(?:" + expression + ")");
    return text -> pattern.matcher(text).matches();
  }

  private static boolean fits(String text, int longest, String expression) {
    return text.length() <= longest && Pattern.matches(expression, text);
  }

  private static Predicate<String> uuid(String version, String variant) {
    return matches(
        "(?i)%1$s{8}-?%1$s{4}-?%2$s%1$s{%3$d}-?%4$s%1$s{%5$d}-?%1$s{12}"
            .formatted(
                HEX, version, version.isEmpty() ? 4 : 3, variant, variant.isEmpty() ? 4 : 3));
  }

  /** 6, 8 or 20 bytes. */
  private static String mac(String separator) {
    var more = "(" + separator + "[0-9a-fA-F]{2})";
    return "[0-9a-fA-F]{2}(" + more + "{5}|" + more + "{7}|" + more + "{19})";
  }

  private static String dotted() {
    var more = "(\\.[0-9a-fA-F]{4})";
    return "[0-9a-fA-F]{4}(" + more + "{2}|" + more + "{3}|" + more + "{9})";
  }

  private static boolean isUri(String text) {
    if (!text.startsWith("/") && !Pattern.matches("[a-zA-Z][a-zA-Z0-9+.-]*:.+", text)) {
      return false;
    }
    try {
      var _ = new URI(text.replace(" ", "%20"));
      return true;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** One label that may have a dash as its second character, or a domain that ends in letters. */
  private static boolean isHost(String text) {
    var labels = List.of(text.split("\\.", -1));
    if (text.length() > LONGEST_HOST
        || labels.stream().anyMatch(label -> label.length() > LONGEST_LABEL)) {
      return false;
    }
    var last = labels.getLast();
    if (labels.size() == 1) {
      boolean dashed = last.length() > 1 && last.charAt(1) == '-';
      return isWord(dashed ? last.charAt(0) + last.substring(2) : last);
    }
    return last.length() > 1
        && last.codePoints().allMatch(Character::isLetter)
        && labels.stream().allMatch(StringFormats::isLabel);
  }

  /** Words with dashes between them. */
  private static boolean isLabel(String label) {
    return !label.startsWith("-") && !label.endsWith("-") && isWord(label.replace("-", ""));
  }

  private static boolean isWord(String text) {
    return !text.isEmpty() && text.codePoints().allMatch(StringFormats::isOfWord);
  }

  private static boolean isOfWord(int character) {
    return switch (Character.getType(character)) {
      case Character.MATH_SYMBOL,
          Character.CURRENCY_SYMBOL,
          Character.MODIFIER_SYMBOL,
          Character.OTHER_SYMBOL ->
          true;
      default -> Character.isLetter(character) || (character >= '0' && character <= '9');
    };
  }

  private static boolean isCidr(String text) {
    int slash = text.indexOf('/');
    if (slash < 0 || !Pattern.matches("\\d{1,3}", text.substring(slash + 1))) {
      return false;
    }
    var address = text.substring(0, slash);
    int bits = Integer.parseInt(text.substring(slash + 1));
    return Addresses.isIpv4(address) ? bits <= 32 : Addresses.isIpv6(address) && bits <= 128;
  }

  private static boolean isIsbn10(String text) {
    var digits = text.replaceAll("[\\s-]+", "");
    if (!Pattern.matches("[0-9]{9}[0-9X]", digits)) {
      return false;
    }
    int sum = 0;
    for (int i = 0; i < 9; i++) {
      sum += (i + 1) * (digits.charAt(i) - '0');
    }
    sum += 10 * (digits.charAt(9) == 'X' ? 10 : digits.charAt(9) - '0');
    return sum % 11 == 0;
  }

  private static boolean isIsbn13(String text) {
    var digits = text.replaceAll("[\\s-]+", "");
    if (!Pattern.matches("[0-9]{13}", digits)) {
      return false;
    }
    int sum = 0;
    for (int i = 0; i < 13; i++) {
      sum += (i % 2 == 0 ? 1 : 3) * (digits.charAt(i) - '0');
    }
    return sum % 10 == 0;
  }

  /** Luhn's sum, and a number that a company gives out. */
  private static boolean isCreditCard(String text) {
    var digits = text.replaceAll("[^0-9]+", "");
    boolean given = ISSUERS.stream().anyMatch(issuer -> issuer.gives(digits));
    int sum = 0;
    for (int i = 0; i < digits.length(); i++) {
      int digit = digits.charAt(digits.length() - 1 - i) - '0';
      int doubled = i % 2 == 0 ? digit : digit * 2;
      sum += doubled > 9 ? doubled - 9 : doubled;
    }
    return given && sum % 10 == 0;
  }

  private static boolean isDate(String text) {
    try {
      var _ = LocalDate.parse(text);
      return text.length() == 10;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static boolean isDateTime(String text) {
    var parts = text.toLowerCase(Locale.ROOT).split("t", -1);
    if (parts.length < 2 || !isDate(parts[0])) {
      return false;
    }
    var time = TIME_OF_DAY.matcher(parts[1]);
    return time.matches()
        && time.group(1).compareTo("23") <= 0
        && time.group(2).compareTo("59") <= 0
        && time.group(3).compareTo("59") <= 0;
  }

  /** As Go writes durations, or a number with a unit somewhere. */
  private static boolean isDuration(String text) {
    return Pattern.matches("[-+]?(0|((\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)", text)
        || SOME_DURATION.matcher(text).find();
  }
}
