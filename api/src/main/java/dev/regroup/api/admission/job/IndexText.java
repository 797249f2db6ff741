package dev.regroup.api.admission.job;

import java.util.TreeSet;

/** The text form of completion indexes, {@code 1,3-5,7}, as strictly as admission reads it. */
final class IndexText {

  /** The indexes, or why the text is refused. */
  sealed interface Parsed {
    record Good(TreeSet<Integer> indexes) implements Parsed {}

    record Bad(String problem) implements Parsed {}
  }

  private IndexText() {}

  static Parsed parse(String text, long completions) {
    var indexes = new TreeSet<Integer>();
    if (text.isEmpty()) {
      return new Parsed.Good(indexes);
    }
    int last = -1;
    for (String interval : text.split(",", -1)) {
      String[] ends = interval.split("-", -1);
      if (ends.length > 2) {
        return new Parsed.Bad(
            "the fragment \"%s\" violates the requirement that an index interval can have at most"
                    .formatted(interval)
                + " two parts separated by '-'");
      }
      int first = 0;
      int end = 0;
      for (int i = 0; i < ends.length; i++) {
        if (!ends[i].matches("[0-9]{1,9}")) {
          return new Parsed.Bad(
              "cannot convert string to integer for index: \"%s\"".formatted(ends[i]));
        }
        end = Integer.parseInt(ends[i]);
        if (end >= completions) {
          return new Parsed.Bad("too large index: \"%s\"".formatted(ends[i]));
        }
        first = i == 0 ? end : first;
      }
      if (ends.length == 2 && first >= end) {
        return order(first, end);
      }
      if (last >= first) {
        return order(last, first);
      }
      for (int index = first; index <= end; index++) {
        indexes.add(index);
      }
      last = end;
    }
    return new Parsed.Good(indexes);
  }

  private static Parsed order(int previous, int current) {
    return new Parsed.Bad(
        "non-increasing order, previous: %d, current: %d".formatted(previous, current));
  }
}
