package dev.regroup.runtime.embedded;

/**
 * How much of a log is kept on disk: the newest bytes. The oldest go in large steps, so that a
 * chatty container costs little; between two steps the log outgrows what is kept by one of them.
 *
 * @param keep so many bytes are always kept
 * @param stride so many more make a step worth while
 */
public record LogRetention(long keep, long stride) {

  /** What the kubelet shows of a log, its newest file of 10 MiB, and steps of 2 MiB. */
  public static final LogRetention DEFAULT = new LogRetention(10 << 20, 2 << 20);

  public LogRetention {
    if (keep < 0 || stride < LogHole.BLOCK) {
      throw new IllegalArgumentException(
          "log retention: keep >= 0 and stride >= %d, got %d and %d"
              .formatted(LogHole.BLOCK, keep, stride));
    }
  }

  /** Where a log of this size begins after the step that is due, at a whole block; or as before. */
  long begin(long begin, long size) {
    if (size - begin <= keep + stride) {
      return begin;
    }
    return LogHole.blocks(size - keep);
  }
}
