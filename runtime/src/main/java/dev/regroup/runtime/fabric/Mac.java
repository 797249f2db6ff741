package dev.regroup.runtime.fabric;

import java.net.Inet4Address;
import java.util.HexFormat;

/**
 * A hardware address made from an IP address. The same pod address always has the same hardware
 * address, so neighbours' caches stay right when a pod is attached again.
 */
record Mac(String text) {

  /** Locally administered; the last four bytes are the IP address. */
  static Mac of(Inet4Address address) {
    return new Mac("0a:58:" + HexFormat.ofDelimiter(":").formatHex(address.getAddress()));
  }

  byte[] bytes() {
    return HexFormat.ofDelimiter(":").parseHex(text);
  }
}
