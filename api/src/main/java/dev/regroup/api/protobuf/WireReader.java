package dev.regroup.api.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.schema.Undecodable;
import java.util.Arrays;

/**
 * Reads protobuf's wire format between two positions and never beyond. Errors have the words of
 * Kubernetes' own reader.
 */
final class WireReader {

  private final byte[] bytes;
  private final int end;
  private int at;

  WireReader(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  /** The empty message. */
  static WireReader nothing() {
    return new WireReader(new byte[0], 0, 0);
  }

  boolean more() {
    return at < end;
  }

  /** Of a message that was not yet read. */
  int length() {
    return end - at;
  }

  long varint() throws Undecodable {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= end) {
        throw unexpectedEnd();
      }
      byte next = bytes[at++];
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new Undecodable("proto: integer overflow");
  }

  long fixed64() throws Undecodable {
    int from = at;
    advance(Long.BYTES);
    long value = 0;
    for (int i = Long.BYTES - 1; i >= 0; i--) {
      value = (value << Byte.SIZE) | (bytes[from + i] & 0xFF);
    }
    return value;
  }

  /** The next value of type {@link ValueType#LENGTH}, as a reader of its own. */
  WireReader message() throws Undecodable {
    long length = varint();
    if (length < 0) {
      throw new Undecodable("proto: negative length found during unmarshaling");
    }
    int from = at;
    advance(length);
    return new WireReader(bytes, from, at);
  }

  String text() throws Undecodable {
    WireReader part = message();
    return new String(bytes, part.at, part.length(), UTF_8);
  }

  /** All that is left. */
  byte[] rest() {
    byte[] rest = Arrays.copyOfRange(bytes, at, end);
    at = end;
    return rest;
  }

  /** Passes over a value nobody knows, and over groups, which nobody uses, whatever is inside. */
  void skip(long tag) throws Undecodable {
    int groups = 0;
    long next = tag;
    while (true) {
      switch ((int) next & 7) {
        case ValueType.VARINT -> varint();
        case ValueType.FIXED64 -> advance(Long.BYTES);
        case ValueType.LENGTH -> message();
        case ValueType.GROUP -> groups++;
        case ValueType.END_OF_GROUP -> {
          if (groups == 0) {
            throw new Undecodable("proto: unexpected end of group");
          }
          groups--;
        }
        case ValueType.FIXED32 -> advance(Integer.BYTES);
        default -> throw new Undecodable("proto: illegal wireType " + (next & 7));
      }
      if (groups == 0) {
        return;
      }
      next = varint();
    }
  }

  private void advance(long count) throws Undecodable {
    if (count > end - at) {
      throw unexpectedEnd();
    }
    at += (int) count;
  }

  private static Undecodable unexpectedEnd() {
    return new Undecodable("unexpected EOF");
  }
}
