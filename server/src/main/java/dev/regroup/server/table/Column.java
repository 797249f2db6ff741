package dev.regroup.server.table;

/** One column of a table; priority 1 shows only with {@code -o wide}. */
public record Column(String name, String type, String format, String description, int priority) {

  Column(String name, String type, String format, int priority) {
    this(name, type, format, "", priority);
  }

  static final Column NAME = new Column("Name", "string", "name", 0);
  static final Column AGE = text("Age");

  static Column text(String name) {
    return new Column(name, "string", "", 0);
  }

  static Column wide(String name) {
    return new Column(name, "string", "", 1);
  }
}
