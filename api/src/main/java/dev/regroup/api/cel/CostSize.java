package dev.regroup.api.cel;

import org.jspecify.annotations.Nullable;

/**
 * Between how many and how many characters, bytes or items something has. Numbers that leave the
 * range of a long stay at its end.
 */
record CostSize(long least, long most) {
  static final long UNBOUNDED = Long.MAX_VALUE;
  static final CostSize UNKNOWN = new CostSize(0, UNBOUNDED);
  static final CostSize ONE = exactly(1);

  /** What a list or a map holds. */
  record Entry(boolean list, CostSize key, CostSize value) {

    static @Nullable Entry union(@Nullable Entry a, @Nullable Entry b) {
      return a == null || b == null
          ? null
          : new Entry(a.list, a.key.union(b.key), a.value.union(b.value));
    }
  }

  static CostSize exactly(long count) {
    return new CostSize(count, count);
  }

  CostSize union(CostSize other) {
    return new CostSize(Math.min(least, other.least), Math.max(most, other.most));
  }

  CostSize plus(CostSize other) {
    return new CostSize(plus(least, other.least), plus(most, other.most));
  }

  CostSize times(CostSize other) {
    return new CostSize(times(least, other.least), times(most, other.most));
  }

  /** The most steps that so many characters cost. */
  long cost(double each) {
    return scaled(most, each);
  }

  static long plus(long a, long b) {
    long sum = a + b;
    return sum < 0 ? UNBOUNDED : sum;
  }

  static long times(long a, long b) {
    long high = Math.multiplyHigh(a, b);
    long low = a * b;
    return high != 0 || low < 0 ? UNBOUNDED : low;
  }

  static long scaled(long count, double each) {
    double product = Math.ceil(count * each);
    return product >= UNBOUNDED ? UNBOUNDED : (long) product;
  }
}
