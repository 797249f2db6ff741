package dev.regroup.api.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * Writes protobuf's wire format from the end to the beginning: when a message is complete its
 * length is known, and nothing is measured or copied twice. So last fields are written first, and
 * of each field its value before its tag.
 */
public final class WireWriter {

  private byte[] bytes;
  private int start;

  public WireWriter(int expectedSize) {
    this.bytes = new byte[Math.max(expectedSize, Long.BYTES)];
    this.start = bytes.length;
  }

  /** What is written so far. */
  public int size() {
    return bytes.length - start;
  }

  public byte[] toBytes() {
    return Arrays.copyOfRange(bytes, start, bytes.length);
  }

  public void tag(int number, int wireType) {
    varint((long) number << 3 | wireType);
  }

  public void varint(long value) {
    int length = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
    int at = reserve(length);
    long rest = value;
    for (int i = 0; i < length - 1; i++) {
      bytes[at + i] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at + length - 1] = (byte) rest;
  }

  public void fixed64(long value) {
    int at = reserve(Long.BYTES);
    for (int i = 0; i < Long.BYTES; i++) {
      bytes[at + i] = (byte) (value >>> (Byte.SIZE * i));
    }
  }

  void fixed32BigEndian(int value) {
    int at = reserve(Integer.BYTES);
    for (int i = 0; i < Integer.BYTES; i++) {
      bytes[at + i] = (byte) (value >>> (Byte.SIZE * (Integer.BYTES - 1 - i)));
    }
  }

  /** Without length and tag. */
  void raw(byte[] value) {
    int at = reserve(value.length);
    System.arraycopy(value, 0, bytes, at, value.length);
  }

  public void bytes(int number, byte[] value) {
    raw(value);
    varint(value.length);
    tag(number, ValueType.LENGTH);
  }

  public void text(int number, String value) {
    bytes(number, value.getBytes(UTF_8));
  }

  /** Closes a message that began when this had the given size. */
  public void message(int number, int sizeBefore) {
    varint(size() - sizeBefore);
    tag(number, ValueType.LENGTH);
  }

  private int reserve(int count) {
    if (count > start) {
      int size = size();
      var larger = new byte[Math.max(Math.addExact(bytes.length, bytes.length), size + 2 * count)];
      System.arraycopy(bytes, start, larger, larger.length - size, size);
      bytes = larger;
      start = larger.length - size;
    }
    start -= count;
    return start;
  }
}
