package dev.regroup.rules.group;

import java.util.OptionalInt;

/**
 * One place in the group: a completion index of an Indexed Job, or one pod of a NonIndexed Job
 * (JS-135a). A pod without an index is a place of its own, whatever its Job says.
 *
 * @param uid of the pod where there is no index, else empty
 */
public record SlotId(String job, OptionalInt index, String uid) {

  public static SlotId indexed(String job, int index) {
    return new SlotId(job, OptionalInt.of(index), "");
  }

  public static SlotId ofPod(String job, String uid) {
    return new SlotId(job, OptionalInt.empty(), uid);
  }

  /** For texts: {@code job-3}. */
  @Override
  public String toString() {
    return index.isPresent() ? job + "-" + index.getAsInt() : job + "/" + uid;
  }
}
