package dev.regroup.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * One write as it stands in a log segment or a snapshot, and its bytes:
 *
 * <pre>
 *   int     length of the body
 *   int     CRC32C of the length and the body
 *   body    byte type | long revision | long created revision | long time in milliseconds
 *           short length, collection | short length, key | value (the rest)
 * </pre>
 *
 * A snapshot ends with a record of type END, whose revision is that of the snapshot and whose
 * created revision is the number of records before it.
 */
record LogRecord(
    Type type,
    String collection,
    String key,
    long revision,
    long createdRevision,
    long millis,
    byte[] value) {

  enum Type {
    PUT(1),
    DELETE(2),
    END(3);

    private final byte code;

    Type(int code) {
      this.code = (byte) code;
    }

    private static Type of(byte code) {
      for (var type : values()) {
        if (type.code == code) {
          return type;
        }
      }
      throw new IllegalStateException("log: no record has type " + code);
    }
  }

  static final int HEAD = 8;
  static final int FIXED = 1 + 8 + 8 + 8 + 2 + 2;
  private static final int LONGEST_NAME = 0xffff;
  private static final byte[] NOTHING = {};

  static LogRecord put(Entry entry, long millis) {
    return new LogRecord(
        Type.PUT,
        entry.collection(),
        entry.key(),
        entry.revision(),
        entry.createdRevision(),
        millis,
        entry.value());
  }

  static LogRecord end(long revision, long count) {
    return new LogRecord(Type.END, "", "", revision, count, 0, NOTHING);
  }

  Entry entry() {
    return new Entry(collection, key, revision, createdRevision, value);
  }

  /** Returns the whole record, ready to be written. */
  ByteBuffer encode() {
    byte[] collectionBytes = name(collection);
    byte[] keyBytes = name(key);
    int body = FIXED + collectionBytes.length + keyBytes.length + value.length;
    var bytes = ByteBuffer.allocate(HEAD + body);
    bytes.putInt(body).putInt(0);
    bytes.put(type.code).putLong(revision).putLong(createdRevision).putLong(millis);
    bytes.putShort((short) collectionBytes.length).put(collectionBytes);
    bytes.putShort((short) keyBytes.length).put(keyBytes);
    bytes.put(value);
    return bytes.putInt(4, checksum(body, bytes.array(), HEAD)).flip();
  }

  /** Decodes a body whose checksum was found right. */
  static LogRecord decode(ByteBuffer body) {
    var type = Type.of(body.get());
    long revision = body.getLong();
    long created = body.getLong();
    long millis = body.getLong();
    var collection = name(body).intern(); // few, and in every record
    var key = name(body);
    byte[] value = new byte[body.remaining()];
    body.get(value);
    return new LogRecord(type, collection, key, revision, created, millis, value);
  }

  static int checksum(int length, byte[] bytes, int from) {
    var sum = new CRC32C();
    sum.update(length >>> 24);
    sum.update(length >>> 16);
    sum.update(length >>> 8);
    sum.update(length);
    sum.update(bytes, from, length);
    return (int) sum.getValue();
  }

  /** Refuses a name that no record can hold. */
  static void checkName(String text) {
    byte[] _ = name(text);
  }

  private static byte[] name(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "key: must have at most %d bytes, got %d".formatted(LONGEST_NAME, bytes.length));
    }
    return bytes;
  }

  private static String name(ByteBuffer body) {
    byte[] bytes = new byte[Short.toUnsignedInt(body.getShort())];
    body.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
