package dev.regroup.server.objects;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.store.Encoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The stored form of objects of one kind: {@code
 * {"kind":..,"apiVersion":..,"metadata":{"resourceVersion":"N",...},...}}.
 *
 * <p>INVARIANT: every stored object begins with the same bytes up to its resource version, so that
 * a revision can be put in without encoding again and an item of a list can leave out its kind.
 */
public final class ObjectBytes {
  private static final byte[] OPEN = "{".getBytes(StandardCharsets.UTF_8);

  private final GroupVersionKind kind;
  private final byte[] head;
  private final byte[] start;
  private final byte[] stamp;

  public ObjectBytes(GroupVersionKind kind) {
    this.kind = kind;
    this.head =
        utf8("{\"kind\":\"" + kind.kind() + "\",\"apiVersion\":\"" + kind.apiVersion() + "\",");
    this.start = join(head, utf8("\"metadata\":{"));
    this.stamp = join(start, utf8("\"resourceVersion\":\""));
  }

  /** Encodes the object, all but its revision, which comes when the store has given one. */
  public Encoded encoder(ObjectNode object) {
    return new Encoded(this, tail(object));
  }

  /** An object that lacks only its revision. */
  public record Encoded(ObjectBytes bytes, byte[] tail) implements Encoder {
    @Override
    public byte[] encode(long revision) {
      return bytes.stamped(revision, tail, 0);
    }
  }

  /** The same object at another revision. */
  public byte[] at(long revision, byte[] object) {
    return stamped(revision, object, endOfRevision(object));
  }

  /** The object as an item of a list of built-in kinds: without kind and version. */
  public void writeItem(byte[] object, java.io.ByteArrayOutputStream out) {
    out.writeBytes(OPEN);
    out.write(object, head.length, object.length - head.length);
  }

  /** The whole object with a revision that means nothing, for dry runs. */
  public byte[] withoutRevision(ObjectNode object) {
    var tail = tail(object);
    return join(start, Arrays.copyOfRange(tail, 2, tail.length)); // after the quote and the comma
  }

  private byte[] tail(ObjectNode object) {
    var ordered = Wire.object();
    ordered.put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
    var metadata = ordered.putObject("metadata");
    metadata.setAll((ObjectNode) object.path("metadata"));
    metadata.remove("resourceVersion");
    for (var field : object.properties()) {
      if (!ordered.has(field.getKey())) {
        ordered.set(field.getKey(), field.getValue());
      }
    }
    var bytes = Wire.write(ordered);
    if (Arrays.mismatch(bytes, 0, start.length, start, 0, start.length) >= 0) {
      throw new IllegalStateException("an encoded object begins in an unexpected way");
    }
    var tail = new byte[bytes.length - start.length + 2];
    tail[0] = '"';
    tail[1] = ',';
    System.arraycopy(bytes, start.length, tail, 2, bytes.length - start.length);
    return tail;
  }

  private byte[] stamped(long revision, byte[] source, int from) {
    var digits = utf8(Long.toString(revision));
    var bytes = new byte[stamp.length + digits.length + source.length - from];
    System.arraycopy(stamp, 0, bytes, 0, stamp.length);
    System.arraycopy(digits, 0, bytes, stamp.length, digits.length);
    System.arraycopy(source, from, bytes, stamp.length + digits.length, source.length - from);
    return bytes;
  }

  private int endOfRevision(byte[] object) {
    int at = stamp.length;
    while (object[at] != '"') {
      at++;
    }
    return at;
  }

  private static byte[] join(byte[] a, byte[] b) {
    var both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
