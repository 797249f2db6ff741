package dev.regroup.node.service;

import java.net.Inet4Address;
import java.util.Optional;

/** Reads IPv4 addresses from text that somebody else wrote. */
public final class Addresses4 {

  private Addresses4() {}

  /** Empty for anything but four plain numbers, such as an IPv6 address or {@code None}. */
  public static Optional<Inet4Address> parse(String text) {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(Inet4Address.ofLiteral(text));
    } catch (IllegalArgumentException other) {
      return Optional.empty();
    }
  }
}
