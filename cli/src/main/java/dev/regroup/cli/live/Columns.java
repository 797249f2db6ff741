package dev.regroup.cli.live;

/** Text measured in the cells of a terminal. Expects text without control characters. */
final class Columns {

  private static final int TAB = 8;

  private Columns() {}

  /** The text in at most so many cells. */
  static String cut(String text, int width) {
    var cut = new StringBuilder();
    int used = 0;
    int kept = 0; // length of what fits together with the sign
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      int cells = point == '\t' ? TAB - used % TAB : width(point);
      if (used + cells > width) {
        cut.setLength(kept);
        return width == 0 ? "" : cut.append('…').toString();
      }
      used += cells;
      if (point == '\t') {
        cut.append(" ".repeat(cells));
      } else {
        cut.appendCodePoint(point);
      }
      if (used <= width - 1) {
        kept = cut.length();
      }
      i += Character.charCount(point);
    }
    return cut.toString();
  }

  static int width(String text) {
    return text.codePoints().map(Columns::width).sum();
  }

  /** Letters of East Asia and pictures take two cells, marks on other letters none. */
  private static int width(int point) {
    int type = Character.getType(point);
    if (type == Character.NON_SPACING_MARK
        || type == Character.ENCLOSING_MARK
        || type == Character.FORMAT) {
      return 0;
    }
    boolean wide =
        (point >= 0x1100 && point <= 0x115f)
            || (point >= 0x2e80 && point <= 0xa4cf)
            || (point >= 0xac00 && point <= 0xd7a3)
            || (point >= 0xf900 && point <= 0xfaff)
            || (point >= 0xfe30 && point <= 0xfe6f)
            || (point >= 0xff00 && point <= 0xff60)
            || (point >= 0x1f300 && point <= 0x1faff)
            || (point >= 0x20000 && point <= 0x3fffd);
    return wide ? 2 : 1;
  }
}
