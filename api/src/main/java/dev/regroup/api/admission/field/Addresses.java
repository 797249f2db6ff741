package dev.regroup.api.admission.field;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** IP addresses as texts; no name is ever looked up. */
public final class Addresses {

  public static final String ADDRESS_TEXT =
      "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

  public static final String RANGE_TEXT =
      "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

  private static final Pattern IPV4 =
      Pattern.compile(
          "(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)");
  private static final Pattern IPV6_CHARACTERS = Pattern.compile("[0-9a-fA-F:.]+");
  private static final Pattern GROUP = Pattern.compile("[0-9a-fA-F]{1,4}");

  private Addresses() {}

  public static boolean isAddress(String text) {
    return (isIpv4(text) || isIpv6(text)) && !isMapped(text);
  }

  /** Why the text is no address. */
  public static String problem(String text) {
    if (isMapped(text) && isIpv6(text)) {
      return "must not be an IPv4-mapped IPv6 address";
    }
    return withoutZeros(text).isPresent() ? "must not have leading 0s" : ADDRESS_TEXT;
  }

  /** The address that is meant by one whose numbers begin with zeros. */
  public static Optional<String> withoutZeros(String text) {
    var plain =
        Arrays.stream(text.split("\\.", -1))
            .map(part -> part.replaceFirst("^0+(?=\\d)", ""))
            .collect(Collectors.joining("."));
    return isIpv4(plain) && !plain.equals(text) ? Optional.of(plain) : Optional.empty();
  }

  /** Why the text is no range that a new field may hold. */
  public static Optional<String> rangeProblem(String text) {
    if (!isRange(text)) {
      return Optional.of(RANGE_TEXT);
    }
    int slash = text.indexOf('/');
    var bytes = bytes(text.substring(0, slash));
    int counted = Integer.parseInt(text.substring(slash + 1));
    for (int bit = counted; bit < bytes.length * 8; bit++) {
      if ((bytes[bit / 8] & (0x80 >> (bit % 8))) != 0) {
        return Optional.of("must not have bits set beyond the prefix length");
      }
    }
    return Optional.empty();
  }

  /** How the address is to be written, in lower case and as short as possible. */
  public static String canonical(String address) {
    if (!isIpv6(address)) {
      return address;
    }
    var bytes = bytes(address);
    int begin = -1;
    int longest = 1; // one zero alone is not left out
    for (int i = 0; i < 8; i++) {
      int end = i;
      while (end < 8 && bytes[2 * end] == 0 && bytes[2 * end + 1] == 0) {
        end++;
      }
      if (end - i > longest) {
        begin = i;
        longest = end - i;
      }
    }
    var text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == begin) {
        text.append("::");
        i += longest - 1;
        continue;
      }
      if (!text.isEmpty() && !text.toString().endsWith(":")) {
        text.append(':');
      }
      text.append(Integer.toHexString(((bytes[2 * i] & 0xff) << 8) | (bytes[2 * i + 1] & 0xff)));
    }
    return text.toString();
  }

  private static byte[] bytes(String address) {
    try {
      return InetAddress.ofLiteral(address).getAddress();
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(address + " was checked before", e);
    }
  }

  /** An address, a slash and how many bits of it count. */
  public static boolean isRange(String text) {
    int slash = text.indexOf('/');
    return slash > 0
        && isAddress(text.substring(0, slash))
        && text.substring(slash + 1).matches("\\d{1,3}")
        && Integer.parseInt(text.substring(slash + 1)) <= (text.contains(":") ? 128 : 32);
  }

  private static boolean isMapped(String text) {
    return text.toLowerCase(Locale.ROOT).startsWith("::ffff:") && text.contains(".");
  }

  public static boolean isIpv4(String text) {
    return IPV4.matcher(text).matches();
  }

  public static boolean isIpv6(String text) {
    if (!text.contains(":") || !IPV6_CHARACTERS.matcher(text).matches()) {
      return false;
    }
    int gap = text.indexOf("::");
    if (gap != text.lastIndexOf("::")) {
      return false;
    }
    int groups = 0;
    for (String group : text.split(":", -1)) {
      if (group.isEmpty()) {
        continue;
      }
      if (isIpv4(group)) {
        groups += 2;
      } else if (GROUP.matcher(group).matches()) {
        groups++;
      } else {
        return false;
      }
    }
    return gap >= 0 ? groups < 8 : groups == 8;
  }

  /**
   * What is wrong with a well-formed address as an endpoint: it means the machine itself, or only
   * its neighbours.
   */
  public static Optional<String> special(String ip) {
    String text = ip.toLowerCase(Locale.ROOT);
    if (text.equals("0.0.0.0") || text.equals("::")) {
      return Optional.of("may not be unspecified (%s)".formatted(ip));
    }
    if (text.startsWith("127.") || text.equals("::1")) {
      return Optional.of("may not be in the loopback range (127.0.0.0/8, ::1/128)");
    }
    if (text.startsWith("169.254.") || text.matches("fe[89ab][0-9a-f]?:.*")) {
      return Optional.of("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    }
    if (text.startsWith("224.0.0.") || text.startsWith("ff02:")) {
      return Optional.of("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
    }
    return Optional.empty();
  }
}
