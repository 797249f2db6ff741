package dev.regroup.runtime.fabric;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** A range of IPv4 addresses: a network address and the number of bits all its members share. */
public record Subnet(Inet4Address network, int prefix) {

  public Subnet {
    if (prefix < 0 || prefix > 32) {
      throw new IllegalArgumentException("prefix: must be 0 to 32, got " + prefix);
    }
    network = address(bits(network) & mask(prefix));
  }

  /** Reads {@code 10.1.0.0/20}; a plain address is a range of one. */
  public static Subnet parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      return new Subnet(Inet4Address.ofLiteral(text), 32);
    }
    return new Subnet(
        Inet4Address.ofLiteral(text.substring(0, slash)),
        Integer.parseInt(text.substring(slash + 1)));
  }

  /** How many addresses the range has, with network and broadcast address. */
  public long size() {
    return 1L << (32 - prefix);
  }

  /** The address at this place of the range; place 0 is the network address itself. */
  public Inet4Address at(int place) {
    if (place < 0 || place >= size()) {
      throw new IllegalArgumentException("place: must be inside " + this + ", got " + place);
    }
    return address(bits(network) + place);
  }

  /** The place of an address in this range: the inverse of {@link #at}. */
  public int placeOf(Inet4Address address) {
    if (!contains(address)) {
      throw new IllegalArgumentException(address.getHostAddress() + " is not in " + this);
    }
    return bits(address) - bits(network);
  }

  public boolean contains(Inet4Address address) {
    return (bits(address) & mask(prefix)) == bits(network);
  }

  public boolean overlaps(Subnet other) {
    int shared = mask(Math.min(prefix, other.prefix));
    return (bits(network) & shared) == (bits(other.network) & shared);
  }

  @Override
  public String toString() {
    return network.getHostAddress() + "/" + prefix;
  }

  private static int mask(int prefix) {
    return prefix == 0 ? 0 : -1 << (32 - prefix);
  }

  private static int bits(Inet4Address address) {
    return ByteBuffer.wrap(address.getAddress()).getInt();
  }

  private static Inet4Address address(int bits) {
    try {
      byte[] bytes = ByteBuffer.allocate(4).putInt(bits).array();
      return (Inet4Address) InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are always an address", e);
    }
  }
}
