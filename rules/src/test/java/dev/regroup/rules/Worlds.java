package dev.regroup.rules;

import java.util.function.BinaryOperator;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * The seeds that a simulation lives through: ten thousand, or as many as {@code -Dworlds} says, or
 * only the one of {@code -Dworld}.
 */
public record Worlds(long first, long last) {

  public static Worlds asked() {
    long only = Long.getLong("world", -1);
    return only >= 0 ? new Worlds(only, only) : new Worlds(0, Long.getLong("worlds", 10_000) - 1);
  }

  public long count() {
    return last - first + 1;
  }

  /** Whether averages mean anything. */
  public boolean many() {
    return count() > 1;
  }

  /** Lives through all of them side by side and adds up what they took. */
  public <T> T live(LongFunction<T> world, T none, BinaryOperator<T> plus) {
    return LongStream.rangeClosed(first, last).parallel().mapToObj(world).reduce(none, plus);
  }
}
