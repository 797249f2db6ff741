package dev.regroup.node.dns;

import java.io.ByteArrayOutputStream;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Builds queries and reads answers, independently of the code under test. */
final class Packets {

  /** A whole answer, taken apart. */
  record Answer(int id, int flags, List<String> records, int authorities, int extras) {
    int code() {
      return flags & 0xf;
    }

    boolean truncated() {
      return (flags & 0x200) != 0;
    }
  }

  private Packets() {}

  static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
  }

  static String hex(byte[] packet) {
    return HexFormat.of().formatHex(packet);
  }

  static byte[] query(int id, String name, int type) {
    var out = new ByteArrayOutputStream();
    out.writeBytes(
        ByteBuffer.allocate(12)
            .putShort((short) id)
            .putShort((short) 0x0100)
            .putShort((short) 1)
            .array());
    for (String label : name.split("\\.", -1)) {
      out.write(label.length());
      out.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
    }
    out.write(0);
    out.writeBytes(ByteBuffer.allocate(4).putShort((short) type).putShort((short) 1).array());
    return out.toByteArray();
  }

  /** The same query by somebody who speaks EDNS and takes this many bytes. */
  static byte[] extended(byte[] query, int room) {
    var out = ByteBuffer.allocate(query.length + 11).put(query);
    out.put((byte) 0).putShort((short) 41).putShort((short) room).putInt(0).putShort((short) 0);
    return out.putShort(10, (short) 1).array();
  }

  /** Reads a whole packet; an exception means that it is not well formed. */
  static Answer read(byte[] packet) {
    var in = ByteBuffer.wrap(packet);
    int id = in.getShort() & 0xffff;
    int flags = in.getShort() & 0xffff;
    int questions = in.getShort();
    int answers = in.getShort() & 0xffff;
    int authorities = in.getShort();
    int extras = in.getShort();
    for (int i = 0; i < questions; i++) {
      skipName(in);
      in.getInt();
    }
    var records = new ArrayList<String>();
    for (int i = 0; i < answers + authorities + extras; i++) {
      skipName(in);
      int type = in.getShort();
      in.getShort();
      int ttl = in.getInt();
      var data = new byte[in.getShort() & 0xffff];
      in.get(data);
      if (i < answers) {
        records.add(text(type, data) + " " + ttl);
      }
    }
    if (in.hasRemaining()) {
      throw new IllegalStateException(in.remaining() + " bytes too many");
    }
    return new Answer(id, flags, records, authorities, extras);
  }

  private static String text(int type, byte[] data) {
    try {
      return switch (type) {
        case 1 -> "A " + Inet4Address.getByAddress(data).getHostAddress();
        case 12 -> "PTR " + name(ByteBuffer.wrap(data));
        default -> "TYPE" + type;
      };
    } catch (java.net.UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String name(ByteBuffer in) {
    var labels = new ArrayList<String>();
    for (int length = in.get(); length > 0; length = in.get()) {
      var label = new byte[length];
      in.get(label);
      labels.add(new String(label, StandardCharsets.ISO_8859_1));
    }
    return String.join(".", labels);
  }

  private static void skipName(ByteBuffer in) {
    for (int length = in.get() & 0xff; length > 0; length = in.get() & 0xff) {
      if (length >= 0xc0) {
        in.get();
        return;
      }
      in.position(in.position() + length);
    }
  }
}
