package dev.regroup.cli.live;

import java.util.List;

/** Turns a frame into what a terminal needs to show it instead of the one before. Pure. */
final class Paint {

  static final String CLEAR = "\u001b[0m\u001b[2J";

  private static final String PLAIN = "\u001b[0m";
  private static final String HEADER = "\u001b[1;7m"; // bold, inverse

  private Paint() {}

  /** The lines that differ, each at its place; empty if none does. */
  static String changes(List<String> before, List<String> frame) {
    var text = new StringBuilder();
    boolean above = true; // of the first rule: ours alone, so that signs may have colours
    for (int row = 0; row < frame.size(); row++) {
      String line = frame.get(row);
      above &= !line.startsWith("─");
      if (row < before.size() && before.get(row).equals(line)) {
        continue;
      }
      text.append("\u001b[").append(row + 1).append(";1H");
      if (row == 0) {
        text.append(HEADER).append(line).append("\u001b[K").append(PLAIN);
      } else {
        text.append(above ? coloured(line) : line).append("\u001b[K");
      }
    }
    return text.toString();
  }

  private static String coloured(String line) {
    var text = new StringBuilder(line.length() + 32);
    String now = PLAIN;
    for (int i = 0; i < line.length(); i++) {
      String wanted =
          switch (line.charAt(i)) {
            case '●', '✓' -> "\u001b[32m";
            case '✗', '!' -> "\u001b[31m";
            case '↺', '◐', '▸', '?' -> "\u001b[33m";
            case '◌' -> "\u001b[36m";
            default -> PLAIN;
          };
      if (!wanted.equals(now)) {
        text.append(wanted);
        now = wanted;
      }
      text.append(line.charAt(i));
    }
    return now.equals(PLAIN) ? text.toString() : text.append(PLAIN).toString();
  }
}
