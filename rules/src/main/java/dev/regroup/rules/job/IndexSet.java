package dev.regroup.rules.job;

import java.util.BitSet;
import java.util.stream.IntStream;

/** A set of completion indexes with the text form of the status fields (JB-61). Immutable. */
public final class IndexSet {

  public static final IndexSet EMPTY = new IndexSet(new BitSet());

  private final BitSet bits;

  private IndexSet(BitSet bits) {
    this.bits = bits;
  }

  public static IndexSet of(int... indexes) {
    var bits = new BitSet();
    for (int index : indexes) {
      bits.set(index);
    }
    return new IndexSet(bits);
  }

  /** Reads {@code 1,3-5,7}; cuts off what is not below the limit, skips broken parts. */
  public static IndexSet parse(String text, int limit) {
    var bits = new BitSet();
    for (var part : text.split(",", -1)) {
      int dash = part.indexOf('-');
      int first = number(dash < 0 ? part : part.substring(0, dash));
      int last = dash < 0 ? first : number(part.substring(dash + 1));
      if (first >= 0 && last >= first && first < limit) {
        bits.set(first, last < limit ? last + 1 : limit);
      }
    }
    return new IndexSet(bits);
  }

  public boolean contains(int index) {
    return index >= 0 && bits.get(index);
  }

  public int size() {
    return bits.cardinality();
  }

  public boolean isEmpty() {
    return bits.isEmpty();
  }

  public IntStream stream() {
    return bits.stream();
  }

  public IndexSet with(int index) {
    var more = (BitSet) bits.clone();
    more.set(index);
    return new IndexSet(more);
  }

  public IndexSet below(int limit) {
    return new IndexSet(bits.get(0, Math.max(0, limit)));
  }

  /** Runs of three or more as {@code a-b}, two neighbours as {@code a,b}. */
  public String text() {
    var text = new StringBuilder();
    int first = bits.nextSetBit(0);
    while (first >= 0) {
      int end = bits.nextClearBit(first);
      if (!text.isEmpty()) {
        text.append(',');
      }
      text.append(first);
      if (end - first == 2) {
        text.append(',').append(first + 1);
      } else if (end - first > 2) {
        text.append('-').append(end - 1);
      }
      first = bits.nextSetBit(end);
    }
    return text.toString();
  }

  private static int number(String text) {
    if (text.isEmpty() || text.length() > 9 || !text.chars().allMatch(Character::isDigit)) {
      return -1;
    }
    return Integer.parseInt(text);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IndexSet set && bits.equals(set.bits);
  }

  @Override
  public int hashCode() {
    return bits.hashCode();
  }

  @Override
  public String toString() {
    return "[" + text() + "]";
  }
}
