package dev.regroup.store;

/**
 * Which room on the disk a write may use. When the disk is full, what is left in the log's reserve
 * is for those that make room again.
 */
public enum DiskRoom {
  /** Only what leaves the reserve whole. */
  COMMON,

  /** The reserve too: for deletes and for what leads to them or tells of the full disk. */
  RESERVE
}
