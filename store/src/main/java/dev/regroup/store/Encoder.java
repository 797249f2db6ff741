package dev.regroup.store;

/**
 * Makes the bytes to store once their revision is known, because a value carries its own revision.
 */
@FunctionalInterface
public interface Encoder {

  /**
   * Called at most once, on the writer's thread, while no other write can take a revision: it must
   * be quick and must not call the store. An unchecked exception ends the write, and no revision is
   * used up. The array belongs to the store afterwards.
   */
  byte[] encode(long revision);
}
