package dev.regroup.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * A terminal as somebody would see it: takes what a program writes and shows the screen. Knows the
 * few sequences our programs need; any other is a thing that must not have arrived and is kept in
 * {@link #strange()}. Every letter takes one cell. One thread at a time.
 */
public final class VirtualTerminal {

  private static final char ESCAPE = '\u001b';

  private int columns;
  private int rows;
  private Page page; // the one that is shown
  private final Page ordinary;
  private boolean cursorShown = true;
  private int cleared; // how often the whole screen was
  private final TreeSet<String> strange = new TreeSet<>();
  private final StringBuilder sequence = new StringBuilder(); // that has begun and not ended

  /** Cells and cursor. */
  private static final class Page {
    int[][] cells;
    int row;
    int column;

    Page(int columns, int rows) {
      cells = blank(columns, rows);
    }

    static int[][] blank(int columns, int rows) {
      int[][] cells = new int[rows][columns];
      for (int[] line : cells) {
        Arrays.fill(line, ' ');
      }
      return cells;
    }
  }

  public VirtualTerminal(int columns, int rows) {
    this.columns = columns;
    this.rows = rows;
    this.ordinary = new Page(columns, rows);
    this.page = ordinary;
  }

  /** Another size: what is on the screen stays where it was, cut. */
  public void resize(int newColumns, int newRows) {
    resize(ordinary, newColumns, newRows);
    if (page != ordinary) {
      resize(page, newColumns, newRows);
    }
    columns = newColumns;
    rows = newRows;
  }

  /** Takes what a program wrote; a sequence may be cut anywhere. */
  public void take(String text) {
    text.codePoints().forEach(this::take);
  }

  /** What is to be seen, a text for each row, without blanks at its end. */
  public List<String> lines() {
    var lines = new ArrayList<String>();
    for (int[] row : page.cells) {
      lines.add(new String(row, 0, row.length).stripTrailing());
    }
    return lines;
  }

  /** The same as one text. */
  public String text() {
    return String.join("\n", lines()) + "\n";
  }

  /** Whether a program shows a page of its own instead of the ordinary one. */
  public boolean isOnOtherPage() {
    return page != ordinary;
  }

  public boolean isCursorShown() {
    return cursorShown;
  }

  /** How often everything was cleared at once: it flickers. */
  public int cleared() {
    return cleared;
  }

  /** Sequences and control characters that it does not know. */
  public List<String> strange() {
    return List.copyOf(strange);
  }

  private void take(int point) {
    if (!sequence.isEmpty()) {
      sequence.appendCodePoint(point);
      boolean control = sequence.length() > 1 && sequence.charAt(1) == '[';
      boolean ends = control ? sequence.length() > 2 && point >= '@' : sequence.length() > 1;
      if (ends && !(sequence.length() == 2 && point == '[')) {
        perform(sequence.toString());
        sequence.setLength(0);
      }
      return;
    }
    switch (point) {
      case ESCAPE -> sequence.append(ESCAPE);
      case '\r' -> page.column = 0;
      case '\n' -> down();
      case '\b' -> page.column = Math.max(0, page.column - 1);
      case '\t' -> page.column = Math.min(columns - 1, (page.column / 8 + 1) * 8);
      default -> {
        if (Character.isISOControl(point)) {
          strange.add("U+%04X".formatted(point));
        } else {
          put(point);
        }
      }
    }
  }

  private void perform(String whole) {
    if (!whole.startsWith(ESCAPE + "[")) {
      strange.add(whole.replace(ESCAPE, '^'));
      return;
    }
    String arguments = whole.substring(2, whole.length() - 1);
    switch (whole.charAt(whole.length() - 1)) {
      case 'm' -> {} // colours
      case 'H' -> {
        String[] place = arguments.isEmpty() ? new String[] {"1", "1"} : arguments.split(";", -1);
        page.row = Math.clamp(Integer.parseInt(place[0]) - 1, 0, rows - 1);
        page.column = Math.clamp(Integer.parseInt(place[1]) - 1, 0, columns - 1);
      }
      case 'K' -> Arrays.fill(page.cells[page.row], Math.min(page.column, columns), columns, ' ');
      case 'J' -> {
        page.cells = Page.blank(columns, rows);
        cleared++;
      }
      default -> mode(arguments, whole);
    }
  }

  private void mode(String arguments, String whole) {
    switch (arguments + whole.charAt(whole.length() - 1)) {
      case "?1049h" -> page = new Page(columns, rows);
      case "?1049l" -> page = ordinary;
      case "?25h" -> cursorShown = true;
      case "?25l" -> cursorShown = false;
      default -> strange.add(whole.replace(ESCAPE, '^'));
    }
  }

  private void put(int point) {
    if (page.column >= columns) {
      page.column = 0;
      down();
    }
    page.cells[page.row][page.column++] = point;
  }

  private void down() {
    if (page.row < rows - 1) {
      page.row++;
      return;
    }
    System.arraycopy(page.cells, 1, page.cells, 0, rows - 1);
    page.cells[rows - 1] = Page.blank(columns, 1)[0];
  }

  private static void resize(Page page, int columns, int rows) {
    int[][] cells = Page.blank(columns, rows);
    for (int row = 0; row < Math.min(rows, page.cells.length); row++) {
      int kept = Math.min(columns, page.cells[row].length);
      System.arraycopy(page.cells[row], 0, cells[row], 0, kept);
    }
    page.cells = cells;
    page.row = Math.min(page.row, rows - 1);
    page.column = Math.min(page.column, columns - 1);
  }
}
