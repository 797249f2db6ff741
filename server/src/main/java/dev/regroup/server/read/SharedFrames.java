package dev.regroup.server.read;

import dev.regroup.api.protobuf.ProtobufCodec;
import dev.regroup.server.objects.ObjectStore;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Frames of protobuf watches that were made lately, so that a change which many watch is encoded
 * once and not once per watch. An object is known by its bytes being the very same; of two frames
 * that want one place the later one stays.
 *
 * <p>Safe for use by many threads; a frame may be made twice, never wrong. Frames are shared:
 * nobody may change one.
 */
final class SharedFrames {

  private static final int PLACES = 256;

  /** Larger ones are rare and would hold much memory: 64 KiB. */
  private static final int LARGEST = 64 * 1024;

  private record Made(String type, byte[] object, byte[] frame) {}

  private final AtomicReferenceArray<Made> made = new AtomicReferenceArray<>(PLACES);

  @SuppressWarnings("ReferenceEquality") // comparing the bytes would cost as much as a frame
  byte[] frame(String type, byte[] object) {
    int place = System.identityHashCode(object) % PLACES;
    var there = made.get(place);
    if (there != null && there.object() == object && there.type().equals(type)) {
      return there.frame();
    }
    var frame = ProtobufCodec.writeEvent(type, ObjectStore.tree(object));
    if (frame.length <= LARGEST) {
      made.set(place, new Made(type, object, frame));
    }
    return frame;
  }
}
