package dev.regroup.node.dns;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * What a packet asks, read without trust: every length is checked before it is followed, and a
 * compressed name may only point backwards, so reading always ends (RFC 1035, section 4.1.4).
 */
sealed interface DnsQuery {
  int HEADER = 12;

  int TYPE_A = 1;
  int TYPE_CNAME = 5;
  int TYPE_SOA = 6;
  int TYPE_PTR = 12;
  int TYPE_AAAA = 28;
  int TYPE_OPT = 41;
  int TYPE_ANY = 255;
  int CLASS_IN = 1;
  int CLASS_ANY = 255;

  /** Not a query, or too short to be answered: silence is the only safe answer. */
  record Noise() implements DnsQuery {}

  /** A query that cannot be answered: the reason goes back without repeating what it said. */
  record Refused(int id, boolean recursionDesired, Code code) implements DnsQuery {}

  /**
   * One question.
   *
   * @param asked the question as it stood in the packet, repeated in the answer letter by letter
   * @param name in lower case, labels joined by dots, no final dot; the root is empty
   * @param room how many bytes an answer in a datagram may have
   * @param extended whether the asker speaks EDNS, and so expects the same from the answer
   */
  record Question(
      int id,
      boolean recursionDesired,
      byte[] asked,
      String name,
      int type,
      int room,
      boolean extended)
      implements DnsQuery {}

  /** The result of a query, as a number on the wire. */
  enum Code {
    NO_ERROR(0),
    FORMAT_ERROR(1),
    SERVER_FAILURE(2),
    NO_SUCH_NAME(3),
    NOT_IMPLEMENTED(4),
    REFUSED(5);

    private final int wire;

    Code(int wire) {
      this.wire = wire;
    }

    int wire() {
      return wire;
    }
  }

  static DnsQuery parse(byte[] packet) {
    if (packet.length < HEADER || (packet[2] & 0x80) != 0) {
      return new Noise();
    }
    return new Reader(packet).query();
  }

  /** Reads one packet from the front to the back. */
  final class Reader {
    private static final int PLAIN_ROOM = 512; // without EDNS
    private static final int MOST_ROOM = 1232; // fits one frame everywhere: never fragmented
    private static final int LONGEST_NAME = 255;

    private final byte[] packet;
    private final int id;
    private final boolean recursionDesired;
    private int at = HEADER;

    private Reader(byte[] packet) {
      this.packet = packet;
      this.id = number(0);
      this.recursionDesired = (packet[2] & 0x01) != 0;
    }

    private DnsQuery query() {
      int operation = (packet[2] >> 3) & 0xf;
      if (operation != 0) {
        return refused(Code.NOT_IMPLEMENTED);
      }
      if (number(4) != 1 || number(6) != 0 || number(8) != 0) {
        return refused(Code.FORMAT_ERROR); // one question, no answers
      }
      try {
        return question();
      } catch (Malformed e) {
        return refused(Code.FORMAT_ERROR);
      }
    }

    private DnsQuery question() throws Malformed {
      String name = name();
      need(4);
      int type = number(at);
      int kind = number(at + 2);
      at += 4;
      byte[] asked = Arrays.copyOfRange(packet, HEADER, at);
      if (kind != CLASS_IN && kind != CLASS_ANY) {
        return refused(Code.REFUSED);
      }
      int room = PLAIN_ROOM;
      boolean extended = false;
      for (int extra = number(10); extra > 0; extra--) {
        name();
        need(10);
        if (number(at) == TYPE_OPT) {
          extended = true;
          room = Math.clamp(number(at + 2), PLAIN_ROOM, MOST_ROOM);
        }
        int length = number(at + 8);
        at += 10;
        need(length);
        at += length;
      }
      return new Question(id, recursionDesired, asked, name, type, room, extended);
    }

    /** Reads a name at the current place and moves behind it. */
    private String name() throws Malformed {
      var name = new StringBuilder();
      int place = at;
      int end = -1; // where reading goes on; known at the first pointer
      int length = 1;
      while (true) {
        int size = octet(place);
        if (size == 0) {
          at = end < 0 ? place + 1 : end;
          return name.toString().toLowerCase(Locale.ROOT);
        }
        switch (size & 0xc0) {
          case 0x00 -> {
            length += size + 1;
            if (length > LONGEST_NAME || place + 1 + size > packet.length) {
              throw new Malformed();
            }
            name.append(name.isEmpty() ? "" : ".").append(label(place + 1, size));
            place += 1 + size;
          }
          case 0xc0 -> {
            int target = (size & 0x3f) << 8 | octet(place + 1);
            if (target < HEADER || target >= place) {
              throw new Malformed(); // only backwards: a loop is impossible
            }
            end = end < 0 ? place + 2 : end;
            length += 1; // many pointers in a row count too
            if (length > LONGEST_NAME) {
              throw new Malformed();
            }
            place = target;
          }
          default -> throw new Malformed(); // reserved label types
        }
      }
    }

    /** A dot inside a label must not look like the end of one. */
    private String label(int start, int size) {
      return new String(packet, start, size, StandardCharsets.ISO_8859_1).replace('.', '\0');
    }

    private int octet(int place) throws Malformed {
      if (place >= packet.length) {
        throw new Malformed();
      }
      return packet[place] & 0xff;
    }

    private void need(int bytes) throws Malformed {
      if (at + bytes > packet.length) {
        throw new Malformed();
      }
    }

    private int number(int place) {
      return (packet[place] & 0xff) << 8 | (packet[place + 1] & 0xff);
    }

    private Refused refused(Code code) {
      return new Refused(id, recursionDesired, code);
    }

    private static final class Malformed extends Exception {
      private static final long serialVersionUID = 1L;

      Malformed() {
        super("malformed packet", null, false, false); // expected from hostile input: keep it cheap
      }
    }
  }
}
