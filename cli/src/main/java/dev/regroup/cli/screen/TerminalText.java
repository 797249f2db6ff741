package dev.regroup.cli.screen;

import java.util.regex.Pattern;

/**
 * Makes text of containers, manifests and API objects safe for a terminal: nothing in it can move
 * the cursor, change a title, answer for the user or turn the order of letters. What is taken out
 * stays visible, so that nobody wonders what was there. Tabs and all printable Unicode are kept.
 *
 * <p>It makes no difference whether the output is a terminal: a file is looked at in one later.
 */
final class TerminalText {

  /** Colours and weights, the one kind of sequence that only paints; concealed text is not kept. */
  private static final Pattern PAINT =
      Pattern.compile("\u001b\\[(?!(?:[0-9;]*;)?0?8[;m])[0-9;]{0,40}m");

  private static final String UNPAINTED = "\u001b[0m";
  private static final char ESCAPE = '\u001b';

  private TerminalText() {}

  /** Without any control character but tab and the end of a line. */
  static String plain(String text) {
    int clean = cleanLength(text);
    if (clean == text.length()) {
      return text;
    }
    var safe = new StringBuilder(text.length() + 16).append(text, 0, clean);
    text.codePoints().skip(text.codePointCount(0, clean)).forEach(point -> add(safe, point));
    return safe.toString();
  }

  /** The same for one line of a log: its colours stay, and end with it. */
  static String painted(String line) {
    if (line.indexOf(ESCAPE) < 0) {
      return plain(line);
    }
    var safe = new StringBuilder();
    var paint = PAINT.matcher(line);
    int from = 0;
    while (paint.find()) {
      safe.append(plain(line.substring(from, paint.start()))).append(paint.group());
      from = paint.end();
    }
    safe.append(plain(line.substring(from)));
    return from == 0 ? safe.toString() : safe.append(UNPAINTED).toString();
  }

  /** Without colours; other sequences stay as they are. */
  static String unpainted(String line) {
    return line.indexOf(ESCAPE) < 0 ? line : PAINT.matcher(line).replaceAll("");
  }

  private static int cleanLength(String text) {
    int length = 0;
    while (length < text.length() && isSafe(text.charAt(length))) {
      length++;
    }
    return length;
  }

  private static void add(StringBuilder safe, int point) {
    if (isSafe(point)) {
      safe.appendCodePoint(point);
    } else if (point < 0x20) {
      safe.appendCodePoint(0x2400 + point); // its picture, such as ESC in one cell
    } else {
      safe.append("<U+%04X>".formatted(point));
    }
  }

  private static boolean isSafe(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL -> point == '\t' || point == '\n';
      case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
      case Character.FORMAT -> !turnsText(point);
      default -> true;
    };
  }

  /** Marks, embeddings, overrides and isolates of writing direction. */
  private static boolean turnsText(int point) {
    return point == 0x061c
        || (point >= 0x200e && point <= 0x200f)
        || (point >= 0x202a && point <= 0x202e)
        || (point >= 0x2066 && point <= 0x2069);
  }
}
