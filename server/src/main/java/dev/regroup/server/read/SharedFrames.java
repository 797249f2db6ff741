package dev.regroup.server.read;

import dev.regroup.api.protobuf.ProtobufCodec;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.wire.Accept.Format;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Frames of watches that were made lately, so that a change which many watch is encoded once and
 * not once per watch, and lies in memory once. An object is known by its bytes being the very same;
 * of two frames that want one place the later one stays.
 *
 * <p>Safe for use by many threads; a frame may be made twice, never wrong. Frames are shared:
 * nobody may change one.
 */
final class SharedFrames {

  private static final int PLACES = 256;

  /** Larger ones are rare and would hold much memory: 64 KiB. */
  private static final int LARGEST = 64 * 1024;

  private record Made(String type, Format format, byte[] object, byte[] frame) {}

  private final AtomicReferenceArray<Made> made = new AtomicReferenceArray<>(PLACES);

  /** The event in this format; of JSON, a line with its line break. */
  @SuppressWarnings("ReferenceEquality") // comparing the bytes would cost as much as a frame
  byte[] frame(String type, Format format, byte[] object) {
    int place = System.identityHashCode(object) % PLACES;
    var there = made.get(place);
    if (there != null
        && there.object() == object
        && there.format() == format
        && there.type().equals(type)) {
      return there.frame();
    }
    var frame =
        format == Format.PROTOBUF
            ? ProtobufCodec.writeEvent(type, ObjectStore.tree(object))
            : line(type, object);
    if (frame.length <= LARGEST) {
      made.set(place, new Made(type, format, object, frame));
    }
    return frame;
  }

  private static byte[] line(String type, byte[] object) {
    var head = ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.UTF_8);
    var line = new byte[head.length + object.length + 2];
    System.arraycopy(head, 0, line, 0, head.length);
    System.arraycopy(object, 0, line, head.length, object.length);
    line[line.length - 2] = '}';
    line[line.length - 1] = '\n';
    return line;
  }
}
