import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Draws what a terminal shows as an SVG: {@code tmux capture-pane -ep | java Picture.java}. The
 * picture has a ground of its own, so it looks the same on a white and on a dark page.
 */
public class Picture {
  static final double CELL = 8.4, LINE = 18, MARGIN = 14;
  static final int COLUMNS = 80;
  static final String[] COLOURS = {
    "#6e7681", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#e6edf3"
  };
  static final Pattern ESCAPE = Pattern.compile("\u001b\\[([0-9;]*)m|\u000f");

  record Style(String colour, boolean bold, boolean dim, boolean inverse) {
    static final Style PLAIN = new Style("#e6edf3", false, false, false);

    Style with(int code) {
      return switch (code) {
        case 0 -> PLAIN;
        case 1 -> new Style(colour, true, dim, inverse);
        case 2 -> new Style(colour, bold, true, inverse);
        case 7 -> new Style(colour, bold, dim, true);
        case 22 -> new Style(colour, false, false, inverse);
        case 27 -> new Style(colour, bold, dim, false);
        case 39 -> new Style(PLAIN.colour, bold, dim, inverse);
        default -> {
          int index = code >= 90 ? code - 90 : code - 30;
          yield index >= 0 && index < 8 ? new Style(COLOURS[index], bold, dim, inverse) : this;
        }
      };
    }
  }

  public static void main(String[] args) throws IOException {
    String text = new String(System.in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
    List<String> lines = text.lines().toList();
    double width = COLUMNS * CELL + 2 * MARGIN, height = lines.size() * LINE + 2 * MARGIN;
    var svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img">
        <title>regroup run, while a group restarts</title>
        <rect width="100%%" height="100%%" rx="8" fill="#0d1117" stroke="#30363d"/>
        <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
        """
            .formatted(width, height, width, height));
    var style = Style.PLAIN;
    for (int row = 0; row < lines.size(); row++) {
      var runs = new ArrayList<String>();
      int column = 0, from = 0;
      String line = lines.get(row);
      var escapes = ESCAPE.matcher(line);
      while (true) {
        boolean more = escapes.find();
        String part = line.substring(from, more ? escapes.start() : line.length());
        if (!part.isBlank() || style.inverse) {
          runs.add(run(part, style, column, row));
        }
        column += part.codePointCount(0, part.length());
        if (!more) {
          break;
        }
        from = escapes.end();
        if (escapes.group(1) != null) {
          for (String code : escapes.group(1).split(";")) {
            style = style.with(code.isEmpty() ? 0 : Integer.parseInt(code));
          }
        }
      }
      runs.forEach(svg::append);
    }
    System.out.print(svg.append("</g>\n</svg>\n"));
  }

  static String run(String text, Style style, int column, int row) {
    double x = MARGIN + column * CELL, y = MARGIN + (row + 1) * LINE - 5;
    double width = text.codePointCount(0, text.length()) * CELL;
    String ground =
        style.inverse
            ? "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" fill=\"%s\"/>\n"
                .formatted(x, y - LINE + 5, width, LINE, style.colour)
            : "";
    return ground
        + "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\" fill=\"%s\"%s%s>%s</text>\n"
            .formatted(
                x,
                y,
                width,
                style.inverse ? "#0d1117" : style.colour,
                style.bold ? " font-weight=\"bold\"" : "",
                style.dim ? " opacity=\"0.65\"" : "",
                text.replace("&", "&amp;")
                    .replace("<", "&lt;")
                    .replace(">", "&gt;")
                    .replace(" ", "&#160;"));
  }
}
