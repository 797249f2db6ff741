package dev.regroup.api.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.runtime.CelEvaluationException;
import dev.regroup.api.admission.field.Addresses;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** {@code ip} and {@code cidr}: addresses and ranges of both families. */
final class AddressFunctions {
  private static final CelType IP = OpaqueType.create("net.IP");
  private static final CelType CIDR = OpaqueType.create("net.CIDR");

  /** An address with the length of its prefix. */
  record Range(InetAddress address, int prefix) {

    boolean contains(InetAddress other) {
      byte[] mine = address.getAddress();
      byte[] others = other.getAddress();
      if (mine.length != others.length) {
        return false;
      }
      for (int bit = 0; bit < prefix; bit++) {
        int mask = 0x80 >> (bit % 8);
        if ((mine[bit / 8] & mask) != (others[bit / 8] & mask)) {
          return false;
        }
      }
      return true;
    }

    Range masked() {
      byte[] bytes = address.getAddress();
      for (int bit = prefix; bit < bytes.length * 8; bit++) {
        bytes[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
      }
      return new Range(of(bytes), prefix);
    }

    private static InetAddress of(byte[] bytes) {
      try {
        return InetAddress.getByAddress(bytes);
      } catch (UnknownHostException e) {
        throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
      }
    }

    @Override
    public String toString() {
      return text(address) + "/" + prefix;
    }
  }

  private AddressFunctions() {}

  static FunctionTable table() {
    var table = new FunctionTable().type(IP, InetAddress.class).type(CIDR, Range.class);
    addresses(table);
    ranges(table);
    return table;
  }

  private static void addresses(FunctionTable table) {
    table
        .global("ip", "string_to_ip", IP, List.of(STRING), args -> ip((String) args[0]))
        .global("isIP", "is_ip", BOOL, List.of(STRING), args -> parse((String) args[0]).isPresent())
        .global(
            "ip.isCanonical",
            "ip_is_canonical",
            BOOL,
            List.of(STRING),
            args -> text(ip((String) args[0])).equals(args[0]))
        .global("string", "ip_to_string", STRING, List.of(IP), args -> text((InetAddress) args[0]))
        .member(
            "family",
            "ip_family",
            INT,
            List.of(IP),
            args -> ((InetAddress) args[0]).getAddress().length == 4 ? 4L : 6L);
    is(table, "isUnspecified", InetAddress::isAnyLocalAddress);
    is(table, "isLoopback", InetAddress::isLoopbackAddress);
    is(table, "isLinkLocalMulticast", InetAddress::isMCLinkLocal);
    is(table, "isLinkLocalUnicast", InetAddress::isLinkLocalAddress);
    is(table, "isGlobalUnicast", AddressFunctions::isGlobal);
  }

  @SuppressWarnings("Immutable") // a method reference
  private static void is(FunctionTable table, String name, Predicate<InetAddress> test) {
    table.member(name, "ip_" + name, BOOL, List.of(IP), args -> test.test((InetAddress) args[0]));
  }

  private static boolean isGlobal(InetAddress address) {
    byte[] bytes = address.getAddress();
    boolean broadcast =
        bytes.length == 4 && (bytes[0] & bytes[1] & bytes[2] & bytes[3] & 0xff) == 0xff;
    return !broadcast
        && !address.isAnyLocalAddress()
        && !address.isLoopbackAddress()
        && !address.isMulticastAddress()
        && !address.isLinkLocalAddress();
  }

  private static void ranges(FunctionTable table) {
    table
        .global("cidr", "string_to_cidr", CIDR, List.of(STRING), args -> range((String) args[0]))
        .global(
            "isCIDR",
            "is_cidr",
            BOOL,
            List.of(STRING),
            args -> parseRange((String) args[0]).isPresent())
        .global("string", "cidr_to_string", STRING, List.of(CIDR), args -> args[0].toString())
        .member("ip", "cidr_ip", IP, List.of(CIDR), args -> ((Range) args[0]).address())
        .member("masked", "cidr_masked", CIDR, List.of(CIDR), args -> ((Range) args[0]).masked())
        .member(
            "prefixLength",
            "cidr_prefix_length",
            INT,
            List.of(CIDR),
            args -> (long) ((Range) args[0]).prefix())
        .member(
            "containsIP",
            "cidr_contains_ip_ip",
            BOOL,
            List.of(CIDR, IP),
            args -> ((Range) args[0]).contains((InetAddress) args[1]))
        .member(
            "containsIP",
            "cidr_contains_ip_string",
            BOOL,
            List.of(CIDR, STRING),
            args -> ((Range) args[0]).contains(ip((String) args[1])))
        .member(
            "containsCIDR",
            "cidr_contains_cidr",
            BOOL,
            List.of(CIDR, CIDR),
            args -> contains((Range) args[0], (Range) args[1]))
        .member(
            "containsCIDR",
            "cidr_contains_cidr_string",
            BOOL,
            List.of(CIDR, STRING),
            args -> contains((Range) args[0], range((String) args[1])));
  }

  private static boolean contains(Range outer, Range inner) {
    return outer.prefix() <= inner.prefix() && outer.contains(inner.address());
  }

  private static InetAddress ip(String text) throws CelEvaluationException {
    return FunctionTable.orFail(
        parse(text), "IP Address \"" + text + "\" parse error during conversion from string");
  }

  private static Range range(String text) throws CelEvaluationException {
    return FunctionTable.orFail(
        parseRange(text),
        "network address parse error during conversion from string: \"" + text + "\"");
  }

  private static Optional<InetAddress> parse(String text) {
    if (!Addresses.isAddress(text)) {
      return Optional.empty();
    }
    var address = InetAddress.ofLiteral(text);
    boolean mapped = text.indexOf(':') >= 0 && address.getAddress().length == 4;
    return mapped ? Optional.empty() : Optional.of(address);
  }

  private static Optional<Range> parseRange(String text) {
    int slash = text.indexOf('/');
    String bits = slash < 0 ? "" : text.substring(slash + 1);
    if (!bits.matches("0|[1-9][0-9]{0,2}")) {
      return Optional.empty();
    }
    int prefix = Integer.parseInt(bits);
    return parse(text.substring(0, slash))
        .filter(address -> prefix <= address.getAddress().length * 8)
        .map(address -> new Range(address, prefix));
  }

  /** As RFC 5952 writes it: the longest run of zeros is left out. */
  private static String text(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length == 4) {
      return address.getHostAddress();
    }
    int[] groups = new int[8];
    for (int i = 0; i < 8; i++) {
      groups[i] = (bytes[2 * i] & 0xff) << 8 | (bytes[2 * i + 1] & 0xff);
    }
    int start = -1;
    int length = 1; // a single zero is written
    for (int i = 0; i < 8; i++) {
      int end = i;
      while (end < 8 && groups[end] == 0) {
        end++;
      }
      if (end - i > length) {
        start = i;
        length = end - i;
      }
    }
    var text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == start) {
        text.append("::");
        i += length - 1;
        continue;
      }
      boolean first = text.isEmpty() || text.charAt(text.length() - 1) == ':';
      text.append(first ? "" : ":").append(Integer.toHexString(groups[i]));
    }
    return text.toString();
  }
}
