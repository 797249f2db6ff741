package dev.regroup.api.admission;

import java.util.regex.Pattern;

/** IP addresses as texts; no name is ever looked up. */
public final class Addresses {

  public static final String ADDRESS_TEXT =
      "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

  private static final Pattern IPV4 =
      Pattern.compile(
          "(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)");
  private static final Pattern IPV6_CHARACTERS = Pattern.compile("[0-9a-fA-F:.]+");
  private static final Pattern GROUP = Pattern.compile("[0-9a-fA-F]{1,4}");

  private Addresses() {}

  public static boolean isAddress(String text) {
    return isIpv4(text) || isIpv6(text);
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
}
