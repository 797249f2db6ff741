package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A {@code Table} of an API server as kubectl prints it. The widths of the first print stay for
 * later rows, so that a watch keeps its columns. One thread.
 */
final class TableText {

  /** Which columns are shown. */
  enum Width {
    USUAL,
    WIDE
  }

  private static final int GAP = 3;
  private static final int NARROWEST = 6;

  private final Width width;
  private final List<Integer> widths = new ArrayList<>();

  TableText(Width width) {
    this.width = width;
  }

  /** The columns' names, in capitals. */
  List<String> header(JsonNode table, List<String> before) {
    var cells = new ArrayList<>(before);
    for (var column : Trees.objects(table, "columnDefinitions")) {
      if (isShown(column)) {
        cells.add(Trees.text(column, "name").toUpperCase(Locale.ROOT));
      }
    }
    return cells;
  }

  /** The cells of a row; {@code before} is what stands in front of them. */
  List<String> row(JsonNode table, JsonNode row, List<String> before, String prefix) {
    var cells = new ArrayList<>(before);
    var columns = Trees.objects(table, "columnDefinitions");
    for (int i = 0; i < columns.size(); i++) {
      if (isShown(columns.get(i))) {
        String cell = text(row.path("cells").path(i));
        cells.add(i == 0 ? prefix + cell : cell);
      }
    }
    return cells;
  }

  /** Rows as lines, each cell as wide as the widest of its column so far. */
  List<String> lines(List<List<String>> rows) {
    for (var row : rows) {
      for (int i = 0; i < row.size(); i++) {
        int wanted = Math.max(NARROWEST, row.get(i).length() + GAP);
        if (i == widths.size()) {
          widths.add(wanted);
        } else {
          widths.set(i, Math.max(widths.get(i), wanted));
        }
      }
    }
    return rows.stream().map(this::line).toList();
  }

  private String line(List<String> row) {
    var line = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      line.append(row.get(i));
      if (i < row.size() - 1) {
        line.repeat(' ', widths.get(i) - row.get(i).length());
      }
    }
    return line.toString();
  }

  private boolean isShown(JsonNode column) {
    return width == Width.WIDE || column.path("priority").asInt() == 0;
  }

  /** One line of it; a cell with more shows that there is more. */
  private static String text(JsonNode cell) {
    String text = cell.isNull() ? "" : cell.isValueNode() ? cell.asText() : cell.toString();
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end) + "...";
  }
}
