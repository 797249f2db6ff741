package dev.regroup.rules.group;

/**
 * One place in the group: a completion index of an Indexed Job, or one pod of a NonIndexed Job
 * (JS-135a).
 *
 * @param place the completion index in decimal, or the pod's UID
 */
public record SlotId(String job, String place) {

  public static SlotId indexed(String job, int index) {
    return new SlotId(job, Integer.toString(index));
  }
}
