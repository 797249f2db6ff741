package dev.regroup.runtime.fabric;

import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Turns requests into rtnetlink messages. A message is a header (length, type, flags, sequence,
 * port), a fixed body, and attributes (length, type, value), each padded to four bytes; an
 * attribute may hold attributes. Numbers are in the machine's byte order, addresses in the
 * network's.
 */
final class LinkEncoding {
  static final int HEADER = 16;

  private static final short RTM_NEWLINK = 16;
  private static final short RTM_DELLINK = 17;
  private static final short RTM_GETLINK = 18;
  private static final short RTM_SETLINK = 19;
  private static final short RTM_NEWADDR = 20;
  private static final short RTM_GETADDR = 22;
  private static final short RTM_NEWROUTE = 24;
  private static final short RTM_GETROUTE = 26;
  private static final short RTM_NEWNEIGH = 28;

  private static final short REQUEST = 0x1;
  private static final short ACK = 0x4;
  private static final short DUMP = 0x300;
  private static final short REPLACE = 0x100;
  private static final short EXCL = 0x200;
  private static final short CREATE = 0x400;

  private static final byte AF_UNSPEC = 0;
  private static final byte AF_INET = 2;
  private static final byte AF_INET6 = 10;
  private static final int IFF_UP = 1;

  private static final short IFLA_ADDRESS = 1;
  private static final short IFLA_IFNAME = 3;
  private static final short IFLA_LINKINFO = 18;
  private static final short IFLA_AF_SPEC = 26;
  private static final short IFLA_NET_NS_FD = 28;
  private static final short IFLA_INFO_KIND = 1;
  private static final short IFLA_INFO_DATA = 2;
  private static final short VETH_INFO_PEER = 1;
  private static final short IFLA_INET_CONF = 1;
  private static final short IPV4_DEVCONF_FORWARDING = 1;
  private static final short IFLA_INET6_ADDR_GEN_MODE = 8;
  private static final byte ADDR_GEN_MODE_NONE = 1;

  private static final short IFA_ADDRESS = 1;
  private static final short IFA_LOCAL = 2;

  private static final short NDA_DST = 1;
  private static final short NDA_LLADDR = 2;
  private static final short NUD_PERMANENT = 0x80;

  private static final short RTA_DST = 1;
  private static final short RTA_OIF = 4;
  private static final short RTA_GATEWAY = 5;
  private static final short RTA_PREFSRC = 7;
  private static final byte TABLE_MAIN = (byte) 254;
  private static final byte TABLE_LOCAL = (byte) 255;
  private static final byte PROTOCOL_STATIC = 4;
  private static final byte SCOPE_UNIVERSE = 0;
  private static final byte SCOPE_LINK = (byte) 253;
  private static final byte SCOPE_HOST = (byte) 254;
  private static final byte TYPE_UNICAST = 1;
  private static final byte TYPE_LOCAL = 2;
  private static final byte TYPE_BLACKHOLE = 6;

  private final ByteBuffer out = ByteBuffer.allocate(1024).order(ByteOrder.nativeOrder());

  private LinkEncoding() {}

  /** The message for this request; the kernel repeats {@code sequence} in its answer. */
  static byte[] encode(LinkRequest request, int sequence) {
    var encoding = new LinkEncoding();
    encoding.message(request, sequence);
    var bytes = new byte[encoding.out.position()];
    encoding.out.flip().get(bytes);
    return bytes;
  }

  private void message(LinkRequest request, int sequence) {
    switch (request) {
      case LinkRequest.AddPair(String name, Mac mac, LinkRequest.Peer peer) -> {
        header(RTM_NEWLINK, CREATE | EXCL | ACK, sequence);
        link(0, IFF_UP);
        text(IFLA_IFNAME, name);
        bytes(IFLA_ADDRESS, mac.bytes());
        nested(
            IFLA_LINKINFO,
            () -> {
              text(IFLA_INFO_KIND, "veth");
              nested(IFLA_INFO_DATA, () -> nested(VETH_INFO_PEER, () -> peer(peer)));
            });
      }
      case LinkRequest.Up(int link) -> {
        header(RTM_SETLINK, ACK, sequence);
        link(link, IFF_UP);
      }
      case LinkRequest.Down(int link) -> {
        header(RTM_SETLINK, ACK, sequence);
        link(link, 0, IFF_UP);
      }
      case LinkRequest.NoIpv6Address(int link) -> {
        header(RTM_SETLINK, ACK, sequence);
        link(link, 0);
        byte[] none = {ADDR_GEN_MODE_NONE};
        nested(IFLA_AF_SPEC, () -> nested(AF_INET6, () -> bytes(IFLA_INET6_ADDR_GEN_MODE, none)));
      }
      case LinkRequest.Forward(int link) -> {
        header(RTM_SETLINK, ACK, sequence);
        link(link, 0);
        nested(
            IFLA_AF_SPEC,
            () ->
                nested(
                    AF_INET,
                    () -> nested(IFLA_INET_CONF, () -> number(IPV4_DEVCONF_FORWARDING, 1))));
      }
      case LinkRequest.DeleteLink(String name) -> {
        header(RTM_DELLINK, ACK, sequence);
        link(0, 0);
        text(IFLA_IFNAME, name);
      }
      case LinkRequest.AddAddress(int link, Inet4Address address, int prefix) -> {
        header(RTM_NEWADDR, CREATE | REPLACE | ACK, sequence);
        out.put(AF_INET).put((byte) prefix).put((byte) 0).put(SCOPE_UNIVERSE).putInt(link);
        bytes(IFA_LOCAL, address.getAddress());
        bytes(IFA_ADDRESS, address.getAddress());
      }
      case LinkRequest.Neighbour(int link, Inet4Address address, Mac mac) -> {
        header(RTM_NEWNEIGH, CREATE | REPLACE | ACK, sequence);
        out.putInt(AF_INET).putInt(link); // the family; three bytes of padding
        out.putShort(NUD_PERMANENT).putShort((short) 0);
        bytes(NDA_DST, address.getAddress());
        bytes(NDA_LLADDR, mac.bytes());
      }
      case LinkRequest.Behind(Subnet range, int link) -> {
        header(RTM_NEWROUTE, CREATE | REPLACE | ACK, sequence);
        route(range.prefix(), TABLE_MAIN, SCOPE_LINK, TYPE_UNICAST);
        bytes(RTA_DST, range.network().getAddress());
        number(RTA_OIF, link);
      }
      case LinkRequest.Through(
              Subnet range,
              Inet4Address gateway,
              int link,
              Inet4Address source) -> {
        header(RTM_NEWROUTE, CREATE | REPLACE | ACK, sequence);
        route(range.prefix(), TABLE_MAIN, SCOPE_UNIVERSE, TYPE_UNICAST);
        bytes(RTA_DST, range.network().getAddress());
        bytes(RTA_GATEWAY, gateway.getAddress());
        number(RTA_OIF, link);
        bytes(RTA_PREFSRC, source.getAddress());
      }
      case LinkRequest.OwnRange(Subnet range, int link) -> {
        header(RTM_NEWROUTE, CREATE | REPLACE | ACK, sequence);
        route(range.prefix(), TABLE_LOCAL, SCOPE_HOST, TYPE_LOCAL);
        bytes(RTA_DST, range.network().getAddress());
        number(RTA_OIF, link);
      }
      case LinkRequest.BlackHole(Subnet range) -> {
        header(RTM_NEWROUTE, CREATE | REPLACE | ACK, sequence);
        route(range.prefix(), TABLE_MAIN, SCOPE_UNIVERSE, TYPE_BLACKHOLE);
        bytes(RTA_DST, range.network().getAddress());
      }
      case LinkRequest.FindLink(String name) -> {
        header(RTM_GETLINK, 0, sequence); // the answer is the link itself
        link(0, 0);
        text(IFLA_IFNAME, name);
      }
      case LinkRequest.ListLinks() -> {
        header(RTM_GETLINK, DUMP, sequence);
        link(0, 0);
      }
      case LinkRequest.ListAddresses() -> {
        header(RTM_GETADDR, DUMP, sequence);
        out.putInt(AF_INET).putInt(0); // family; prefix, flags, scope and link are not asked for
      }
      case LinkRequest.ListRoutes() -> {
        header(RTM_GETROUTE, DUMP, sequence);
        out.put(AF_INET).put(new byte[11]);
      }
    }
    out.putInt(0, out.position());
  }

  private void header(short type, int flags, int sequence) {
    out.putInt(0).putShort(type).putShort((short) (REQUEST | flags)).putInt(sequence).putInt(0);
  }

  private void link(int index, int up) {
    link(index, up, up);
  }

  /** With these flags; only those of the mask are changed. */
  private void link(int index, int flags, int mask) {
    out.put(AF_UNSPEC).put((byte) 0).putShort((short) 0).putInt(index).putInt(flags).putInt(mask);
  }

  private void route(int prefix, byte table, byte scope, byte type) {
    out.put(AF_INET).put((byte) prefix).put((byte) 0).put((byte) 0);
    out.put(table).put(PROTOCOL_STATIC).put(scope).put(type).putInt(0);
  }

  private void peer(LinkRequest.Peer peer) {
    link(0, 0);
    text(IFLA_IFNAME, peer.name());
    bytes(IFLA_ADDRESS, peer.mac().bytes());
    number(IFLA_NET_NS_FD, peer.namespace());
  }

  private void text(short type, String value) {
    bytes(type, (value + '\0').getBytes(StandardCharsets.US_ASCII));
  }

  private void number(short type, int value) {
    out.putShort((short) 8).putShort(type).putInt(value);
  }

  private void bytes(short type, byte[] value) {
    out.putShort((short) (4 + value.length)).putShort(type).put(value);
    pad();
  }

  private void nested(short type, Runnable content) {
    int start = out.position();
    out.putShort((short) 0).putShort(type);
    content.run();
    out.putShort(start, (short) (out.position() - start));
  }

  private void pad() {
    while (out.position() % 4 != 0) {
      out.put((byte) 0);
    }
  }
}
