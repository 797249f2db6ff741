package dev.regroup.runtime.embedded.log;

/**
 * How much of a container's logs is kept on disk: the newest bytes of each, of the newest runs. The
 * oldest bytes go in large steps, so that a chatty container costs little; between two steps the
 * log outgrows what is kept by one of them.
 *
 * @param keep so many bytes are always kept
 * @param stride so many more make a step worth while
 * @param runs so many runs of a container keep their log
 */
public record LogRetention(long keep, long stride, int runs) {

  /**
   * What the kubelet shows of a log, its newest file of 10 MiB, and steps of 2 MiB. Logs stay until
   * their pod goes (RAC-16), but one that restarts for ever must not fill the disk.
   */
  public static final LogRetention DEFAULT = new LogRetention(10 << 20, 2 << 20, 100);

  public LogRetention {
    if (keep < 0 || stride < LogHole.BLOCK || runs < 2) {
      throw new IllegalArgumentException(
          "log retention: keep >= 0, stride >= %d and runs >= 2, got %d, %d and %d"
              .formatted(LogHole.BLOCK, keep, stride, runs));
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
