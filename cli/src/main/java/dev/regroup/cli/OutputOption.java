package dev.regroup.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.cli.screen.YamlText;
import java.io.PrintWriter;
import picocli.CommandLine.Option;

/** {@code -o}: text for people, or a tree for programs. */
final class OutputOption {

  /** How a result is printed. */
  enum Output {
    table,
    json,
    yaml
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "table|json|yaml",
      defaultValue = "table",
      description = "How to print the result (default: table).")
  Output output = Output.table;

  boolean isText() {
    return output == Output.table;
  }

  /** Prints the tree in the form that was asked for; text is the caller's. */
  void print(PrintWriter out, JsonNode tree) {
    switch (output) {
      case table -> throw new IllegalStateException("text is printed by the command");
      case json -> out.println(tree.toPrettyString());
      case yaml -> out.print(YamlText.of(tree));
    }
    out.flush();
  }
}
