package dev.regroup.runtime.fabric;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;

/** One message of an answer of the kernel. {@link #parse} reads a datagram that holds several. */
sealed interface LinkReply {

  /** The sequence number of the request this belongs to. */
  int sequence();

  /** The request was carried out, or refused with this error number. */
  record Done(int sequence, int error) implements LinkReply {}

  record Link(int sequence, int index, String name) implements LinkReply {}

  record Address(int sequence, int link, Subnet range, Inet4Address address) implements LinkReply {}

  record Route(int sequence, int link, Subnet destination) implements LinkReply {}

  /** Something nobody asked about: another family, a kind added by a newer kernel. */
  record Other(int sequence, int type) implements LinkReply {}

  /** Reads every message of a datagram. A message that does not fit its own length ends it. */
  static List<LinkReply> parse(byte[] datagram) {
    return new Reader(datagram).all();
  }

  /** Walks the messages of one datagram. */
  final class Reader {
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int RTM_NEWLINK = 16;
    private static final int RTM_NEWADDR = 20;
    private static final int RTM_NEWROUTE = 24;
    private static final int AF_INET = 2;
    private static final int IFLA_IFNAME = 3;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;

    private final ByteBuffer in;

    private Reader(byte[] datagram) {
      this.in = ByteBuffer.wrap(datagram).order(ByteOrder.nativeOrder());
    }

    private List<LinkReply> all() {
      var replies = new ArrayList<LinkReply>();
      while (in.remaining() >= LinkEncoding.HEADER) {
        int start = in.position();
        int length = in.getInt(start);
        if (length < LinkEncoding.HEADER || length > in.remaining()) {
          break;
        }
        replies.add(message(in.slice(start, length).order(ByteOrder.nativeOrder())));
        in.position(Math.min(in.limit(), start + (length + 3) / 4 * 4));
      }
      return replies;
    }

    private static LinkReply message(ByteBuffer message) {
      int type = Short.toUnsignedInt(message.getShort(4));
      int sequence = message.getInt(8);
      message.position(LinkEncoding.HEADER);
      try {
        return switch (type) {
          case NLMSG_ERROR, NLMSG_DONE -> done(message, sequence);
          case RTM_NEWLINK -> link(message, sequence);
          case RTM_NEWADDR -> address(message, sequence, type);
          case RTM_NEWROUTE -> route(message, sequence, type);
          default -> new Other(sequence, type); // the kernel may say more than we know
        };
      } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
        return new Other(sequence, type); // shorter than its kind promises
      }
    }

    private static LinkReply done(ByteBuffer message, int sequence) {
      return new Done(sequence, message.remaining() < 4 ? 0 : -message.getInt());
    }

    private static LinkReply link(ByteBuffer message, int sequence) {
      int index = message.getInt(LinkEncoding.HEADER + 4);
      var name = new StringBuilder();
      attributes(
          message,
          16,
          (value, type) -> {
            if (type == IFLA_IFNAME) {
              name.append(StandardCharsets.US_ASCII.decode(value).toString().replace("\0", ""));
            }
          });
      return new Link(sequence, index, name.toString());
    }

    private static LinkReply address(ByteBuffer message, int sequence, int type) {
      if (message.get(LinkEncoding.HEADER) != AF_INET) {
        return new Other(sequence, type);
      }
      int prefix = Byte.toUnsignedInt(message.get(LinkEncoding.HEADER + 1));
      int link = message.getInt(LinkEncoding.HEADER + 4);
      var found = new HashMap<Integer, Inet4Address>();
      attributes(
          message,
          8,
          (value, attribute) -> {
            if (attribute == IFA_ADDRESS || attribute == IFA_LOCAL) {
              found.put(attribute, inet(value));
            }
          });
      Inet4Address range = found.get(IFA_ADDRESS);
      if (range == null) {
        return new Other(sequence, type);
      }
      Inet4Address local = found.getOrDefault(IFA_LOCAL, range); // differ on point-to-point links
      return new Address(sequence, link, new Subnet(range, prefix), local);
    }

    private static LinkReply route(ByteBuffer message, int sequence, int type) {
      if (message.get(LinkEncoding.HEADER) != AF_INET) {
        return new Other(sequence, type);
      }
      int prefix = Byte.toUnsignedInt(message.get(LinkEncoding.HEADER + 1));
      var found = new ArrayList<Inet4Address>();
      var link = new AtomicInteger();
      attributes(
          message,
          12,
          (value, attribute) -> {
            if (attribute == RTA_DST) {
              found.add(inet(value));
            } else if (attribute == RTA_OIF) {
              link.set(value.order(ByteOrder.nativeOrder()).getInt());
            }
          });
      return found.isEmpty()
          ? new Route(sequence, link.get(), Subnet.parse("0.0.0.0/0"))
          : new Route(sequence, link.get(), new Subnet(found.getFirst(), prefix));
    }

    private static void attributes(ByteBuffer message, int body, ObjIntConsumer<ByteBuffer> each) {
      int at = LinkEncoding.HEADER + body;
      while (at + 4 <= message.limit()) {
        int length = Short.toUnsignedInt(message.getShort(at));
        if (length < 4 || at + length > message.limit()) {
          return;
        }
        int type = message.getShort(at + 2) & 0x3fff; // two flag bits lead the number
        each.accept(message.slice(at + 4, length - 4), type);
        at += (length + 3) / 4 * 4;
      }
    }

    private static Inet4Address inet(ByteBuffer value) {
      var bytes = new byte[4];
      value.get(bytes);
      try {
        return (Inet4Address) InetAddress.getByAddress(bytes);
      } catch (UnknownHostException e) {
        throw new IllegalStateException("four bytes are always an address", e);
      }
    }
  }
}
