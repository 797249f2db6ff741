package dev.regroup.node.dns;

import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * From the bytes of a query to the bytes of its answer: a pure function of the table.
 *
 * <ol>
 *   <li>Noise gets no answer; a query that makes no sense gets the reason.
 *   <li>A name outside the cluster's zone is for somebody else.
 *   <li>A name nobody has does not exist; a name that exists, asked for a type it lacks (AAAA), is
 *       an answer without records, never an error: resolvers give up on errors.
 *   <li>Addresses are turned by the query's random id, so that clients which take the first one
 *       spread. What does not fit a datagram is cut and marked; the client comes back by TCP.
 * </ol>
 */
public final class DnsAnswers {
  /** Seconds an answer may be kept: a replaced pod must be found within one. */
  static final int TIME_TO_LIVE = 1;

  private static final int LARGEST = 65_535;
  private static final int EXTENSION = 11; // the size of our EDNS record
  private static final int FLAG_RESPONSE = 0x8000;
  private static final int FLAG_AUTHORITATIVE = 0x0400;
  private static final int FLAG_TRUNCATED = 0x0200;
  private static final int FLAG_RECURSION_DESIRED = 0x0100;
  private static final int FLAG_RECURSION_AVAILABLE = 0x0080;
  private static final short TO_QUESTION = (short) (0xc000 | DnsQuery.HEADER);

  /** How the bytes travel: decides how much fits. */
  public enum Carrier {
    DATAGRAM,
    STREAM
  }

  /** What to do with a packet. */
  public sealed interface Outcome {
    record Reply(byte[] packet) implements Outcome {}

    /** A sound question about a name outside the zone; {@code failure} is for when nobody knows. */
    record Ask(byte[] failure) implements Outcome {}

    record Drop() implements Outcome {}
  }

  private DnsAnswers() {}

  public static Outcome answer(DnsNames names, byte[] packet, Carrier carrier) {
    return switch (DnsQuery.parse(packet)) {
      case DnsQuery.Noise() -> new Outcome.Drop();
      case DnsQuery.Refused(int id, boolean desired, DnsQuery.Code code) ->
          new Outcome.Reply(bare(id, desired, code));
      case DnsQuery.Question question -> answer(names, question, carrier);
    };
  }

  private static Outcome answer(DnsNames names, DnsQuery.Question question, Carrier carrier) {
    int room = carrier == Carrier.STREAM ? LARGEST : question.room();
    return switch (names.lookup(question.name())) {
      case DnsNames.Lookup.Found(List<Inet4Address> addresses) ->
          new Outcome.Reply(found(question, addresses, room));
      case DnsNames.Lookup.Named(String name) -> new Outcome.Reply(named(question, name, room));
      case DnsNames.Lookup.Missing() ->
          new Outcome.Reply(none(question, DnsQuery.Code.NO_SUCH_NAME, room));
      case DnsNames.Lookup.Foreign() ->
          new Outcome.Ask(new Writer(question, room, DnsQuery.Code.SERVER_FAILURE, 0).packet());
    };
  }

  private static byte[] found(DnsQuery.Question question, List<Inet4Address> addresses, int room) {
    boolean asked = question.type() == DnsQuery.TYPE_A || question.type() == DnsQuery.TYPE_ANY;
    if (!asked || addresses.isEmpty()) {
      return none(question, DnsQuery.Code.NO_ERROR, room);
    }
    var writer = new Writer(question, room, DnsQuery.Code.NO_ERROR, FLAG_AUTHORITATIVE);
    int turn = question.id() % addresses.size();
    for (int i = 0; i < addresses.size(); i++) {
      byte[] address = addresses.get((i + turn) % addresses.size()).getAddress();
      if (!writer.record(DnsQuery.TYPE_A, address)) {
        break;
      }
    }
    return writer.packet();
  }

  private static byte[] named(DnsQuery.Question question, String name, int room) {
    if (question.type() != DnsQuery.TYPE_PTR && question.type() != DnsQuery.TYPE_ANY) {
      return none(question, DnsQuery.Code.NO_ERROR, room);
    }
    var writer = new Writer(question, room, DnsQuery.Code.NO_ERROR, FLAG_AUTHORITATIVE);
    boolean _ = writer.record(DnsQuery.TYPE_PTR, wire(name)); // one name always fits
    return writer.packet();
  }

  /** No records: the zone's own record says for how long that may be believed. */
  private static byte[] none(DnsQuery.Question question, DnsQuery.Code code, int room) {
    var writer = new Writer(question, room, code, FLAG_AUTHORITATIVE);
    writer.authority();
    return writer.packet();
  }

  private static byte[] bare(int id, boolean recursionDesired, DnsQuery.Code code) {
    int flags = FLAG_RESPONSE | FLAG_RECURSION_AVAILABLE | code.wire();
    flags |= recursionDesired ? FLAG_RECURSION_DESIRED : 0;
    return ByteBuffer.allocate(DnsQuery.HEADER)
        .putShort((short) id)
        .putShort((short) flags)
        .array();
  }

  private static byte[] wire(String name) {
    var out = ByteBuffer.allocate(name.length() + 2);
    for (String label : name.split("\\.", -1)) {
      out.put((byte) label.length()).put(label.getBytes(StandardCharsets.ISO_8859_1));
    }
    return out.put((byte) 0).array();
  }

  /** Writes one answer, as much as fits. */
  private static final class Writer {
    private final ByteBuffer out;
    private final DnsQuery.Question question;
    private int flags;
    private int answers;
    private int authorities;

    Writer(DnsQuery.Question question, int room, DnsQuery.Code code, int authoritative) {
      int reserved = question.extended() ? EXTENSION : 0;
      this.question = question;
      this.out = ByteBuffer.allocate(room).limit(room - reserved);
      this.flags = FLAG_RESPONSE | FLAG_RECURSION_AVAILABLE | authoritative | code.wire();
      this.flags |= question.recursionDesired() ? FLAG_RECURSION_DESIRED : 0;
      out.position(DnsQuery.HEADER).put(question.asked());
    }

    /** Adds a record about the name that was asked; false if it does not fit. */
    boolean record(int type, byte[] data) {
      if (out.remaining() < 12 + data.length) {
        flags |= FLAG_TRUNCATED;
        return false;
      }
      out.putShort(TO_QUESTION).putShort((short) type).putShort((short) DnsQuery.CLASS_IN);
      out.putInt(TIME_TO_LIVE).putShort((short) data.length).put(data);
      answers++;
      return true;
    }

    /** The zone's record of authority (RFC 2308): it limits how long "no" may be remembered. */
    void authority() {
      byte[] zone = wire(DnsNames.ZONE);
      byte[] server = wire("ns.dns." + DnsNames.ZONE);
      byte[] mailbox = wire("hostmaster." + DnsNames.ZONE);
      int length = server.length + mailbox.length + 20;
      if (out.remaining() < zone.length + 10 + length) {
        return;
      }
      out.put(zone).putShort((short) DnsQuery.TYPE_SOA).putShort((short) DnsQuery.CLASS_IN);
      out.putInt(TIME_TO_LIVE).putShort((short) length).put(server).put(mailbox);
      out.putInt(1).putInt(7200).putInt(1800).putInt(86_400).putInt(TIME_TO_LIVE);
      authorities++;
    }

    byte[] packet() {
      if (question.extended()) {
        out.limit(out.capacity());
        out.put((byte) 0).putShort((short) DnsQuery.TYPE_OPT).putShort((short) 1232);
        out.putInt(0).putShort((short) 0);
      }
      out.putShort(0, (short) question.id()).putShort(2, (short) flags).putShort(4, (short) 1);
      out.putShort(6, (short) answers).putShort(8, (short) authorities);
      out.putShort(10, (short) (question.extended() ? 1 : 0));
      var packet = new byte[out.position()];
      out.flip().get(packet);
      return packet;
    }
  }
}
