package dev.regroup.server.body;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was noticed when a patch was read: keys given twice, members nobody knows.
 *
 * @param strategic the patch itself, where a refusal shows it in place of the object; else null
 */
public record PatchProblems(List<String> problems, @Nullable ObjectNode strategic) {

  public static final PatchProblems NONE = new PatchProblems(List.of(), null);

  public PatchProblems {
    problems = List.copyOf(problems);
  }

  /** What a refusal shows of a patch that made this of an object. */
  String shown(ObjectNode patched) {
    return strategic == null ? patched.toString() : go(strategic);
  }

  /** As Go prints a map. */
  private static String go(JsonNode value) {
    return switch (value) {
      case ObjectNode object -> {
        var sorted = new TreeMap<String, JsonNode>();
        object.properties().forEach(field -> sorted.put(field.getKey(), field.getValue()));
        var fields = new ArrayList<String>();
        for (Map.Entry<String, JsonNode> field : sorted.entrySet()) {
          fields.add(field.getKey() + ":" + go(field.getValue()));
        }
        yield "map[" + String.join(" ", fields) + "]";
      }
      case ArrayNode array -> {
        var items = new ArrayList<String>();
        array.forEach(item -> items.add(go(item)));
        yield "[" + String.join(" ", items) + "]";
      }
      default -> value.isNull() ? "<nil>" : value.asText();
    };
  }
}
