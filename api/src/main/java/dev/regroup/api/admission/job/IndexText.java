package dev.regroup.api.admission.job;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The text form of completion indexes, {@code 1,3-5,7}, as strictly as admission reads it. */
final class IndexText {

  private static final Pattern NUMBER = Pattern.compile("[+]?[0-9]+");
  private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

  /** The indexes, or why the text is refused. */
  sealed interface Parsed {

    /** Ascending, and none is in two of them. */
    record Good(List<Interval> intervals) implements Parsed {

      long count() {
        return intervals.stream().mapToLong(one -> one.last() - one.first() + 1).sum();
      }
    }

    record Bad(String problem) implements Parsed {}
  }

  /** From the first index to the last. */
  record Interval(long first, long last) {}

  private IndexText() {}

  static Parsed parse(String text, long completions) {
    var intervals = new ArrayList<Interval>();
    if (text.isEmpty()) {
      return new Parsed.Good(intervals);
    }
    for (String fragment : text.split(",", -1)) {
      String[] ends = fragment.split("-", -1);
      if (ends.length > 2) {
        return new Parsed.Bad(
            "the fragment \"%s\" violates the requirement that an index interval can have at most"
                    .formatted(fragment)
                + " two parts separated by '-'");
      }
      var numbers = new long[ends.length];
      for (int i = 0; i < ends.length; i++) {
        var number = number(ends[i]);
        if (number.isEmpty()) {
          return new Parsed.Bad(
              "cannot convert string to integer for index: \"%s\"".formatted(ends[i]));
        }
        numbers[i] = number.getAsLong();
        if (numbers[i] >= completions) {
          return new Parsed.Bad("too large index: \"%s\"".formatted(ends[i]));
        }
      }
      var interval = new Interval(numbers[0], numbers[numbers.length - 1]);
      if (ends.length == 2 && interval.first() >= interval.last()) {
        return order(interval.first(), interval.last());
      }
      if (!intervals.isEmpty() && intervals.getLast().last() >= interval.first()) {
        return order(intervals.getLast().last(), interval.first());
      }
      intervals.add(interval);
    }
    return new Parsed.Good(intervals);
  }

  private static OptionalLong number(String text) {
    if (!NUMBER.matcher(text).matches()) {
      return OptionalLong.empty();
    }
    var number = new BigInteger(text);
    return number.compareTo(MOST) > 0
        ? OptionalLong.empty()
        : OptionalLong.of(number.longValueExact());
  }

  /** The first index that is in both texts; parts that cannot be read are left out. */
  static OptionalLong overlap(String one, String other, long completions) {
    var others = readable(other, completions);
    long found = Long.MAX_VALUE;
    for (Interval a : readable(one, completions)) {
      for (Interval b : others) {
        if (a.first() <= b.last() && b.first() <= a.last()) {
          found = Math.min(found, Math.max(a.first(), b.first()));
        }
      }
    }
    return found == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(found);
  }

  private static List<Interval> readable(String text, long completions) {
    var intervals = new ArrayList<Interval>();
    for (String fragment : text.split(",", -1)) {
      if (parse(fragment, completions) instanceof Parsed.Good(var found)) {
        intervals.addAll(found);
      }
    }
    return intervals;
  }

  private static Parsed order(long previous, long current) {
    return new Parsed.Bad(
        "non-increasing order, previous: %d, current: %d".formatted(previous, current));
  }
}
