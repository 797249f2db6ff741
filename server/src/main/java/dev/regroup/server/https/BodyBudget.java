package dev.regroup.server.https;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How many bytes of request bodies may be in memory at a time: in all, and at most half of it for
 * one user. Whoever finds no room is told to come again, so bodies cannot fill the heap. Any
 * thread.
 */
final class BodyBudget {

  private static final long LEAST = 12L << 20; // 12 MiB: four of the largest bodies
  private static final long MOST = 256L << 20; // 256 MiB

  private final long total;
  private final Map<String, Long> perUser = new HashMap<>();
  private long used;

  BodyBudget(long total) {
    this.total = total;
  }

  /** A body becomes a tree of ten times its size: a twenty-fourth of the heap. */
  static BodyBudget ofHeap(long heap) {
    return new BodyBudget(Math.clamp(heap / 24, LEAST, MOST));
  }

  /** Bytes somebody holds; given back by closing. One thread. */
  final class Share implements AutoCloseable {
    private final String user;
    private long bytes;

    private Share(String user) {
      this.user = user;
    }

    /** Makes the share this large, if it is not; returns whether there was room. */
    boolean growTo(long wanted) {
      if (wanted <= bytes) {
        return true;
      }
      if (!take(user, wanted - bytes)) {
        return false;
      }
      bytes = wanted;
      return true;
    }

    @Override
    public void close() {
      give(user, bytes);
      bytes = 0;
    }
  }

  Share share(String user) {
    return new Share(user);
  }

  synchronized long used() {
    return used;
  }

  private synchronized boolean take(String user, long bytes) {
    long theirs = Optional.ofNullable(perUser.get(user)).orElse(0L);
    if (used + bytes > total || theirs + bytes > total / 2) {
      return false;
    }
    used += bytes;
    perUser.put(user, theirs + bytes);
    return true;
  }

  private synchronized void give(String user, long bytes) {
    if (bytes == 0) {
      return;
    }
    used -= bytes;
    perUser.compute(
        user,
        (_, theirs) -> {
          long left = theirs == null ? 0 : theirs - bytes;
          return left == 0 ? null : left;
        });
  }
}
