package dev.regroup.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table of a custom kind: its name and the columns that its definition asks for. */
public final class CustomTable implements TableView {

  /**
   * One column of a definition. Empty texts are absent.
   *
   * @param type {@code integer}, {@code number}, {@code string}, {@code boolean} or {@code date}
   */
  public record Printer(
      String name, String type, String format, String description, int priority, String path) {

    /** What a kind without columns shows. */
    public static final Printer AGE =
        new Printer("Age", "date", "", "", 0, ".metadata.creationTimestamp");
  }

  private final List<Column> columns = new ArrayList<>();
  private final List<Optional<ColumnPath>> paths = new ArrayList<>();

  public CustomTable(List<Printer> printers) {
    columns.add(Column.NAME);
    for (var printer : printers) {
      var description =
          printer.description().isEmpty()
              ? "Custom resource definition column (in JSONPath format): " + printer.path()
              : printer.description();
      columns.add(
          new Column(
              printer.name(), printer.type(), printer.format(), description, printer.priority()));
      paths.add(ColumnPath.of(printer.path()));
    }
  }

  @Override
  public List<Column> columns() {
    return List.copyOf(columns);
  }

  @Override
  public List<@Nullable Object> cells(ObjectNode object, Instant now) {
    var cells = new ArrayList<@Nullable Object>();
    cells.add(Cells.name(object));
    for (int i = 0; i < paths.size(); i++) {
      var type = columns.get(i + 1).type();
      var value = paths.get(i).flatMap(path -> path.first(object));
      cells.add(value.isEmpty() ? null : cell(type, value.get(), now));
    }
    return cells;
  }

  private static @Nullable Object cell(String type, JsonNode value, Instant now) {
    return switch (type) {
      case "string" -> ColumnPath.printed(value);
      case "integer" -> value.isNumber() ? (Long) value.longValue() : null;
      case "number" -> value.isNumber() ? value.numberValue() : null;
      case "boolean" -> value.isBoolean() ? (Boolean) value.booleanValue() : null;
      case "date" -> value.isTextual() ? date(value.textValue(), now) : null;
      default -> null;
    };
  }

  private static String date(String text, Instant now) {
    var age = Ages.since(text, now);
    return age.equals("<unknown>") ? "<invalid>" : age;
  }
}
