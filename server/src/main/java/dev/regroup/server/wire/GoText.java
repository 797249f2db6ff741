package dev.regroup.server.wire;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Texts that Kubernetes' Go server prints with Go's formatting verbs, for equal messages. */
public final class GoText {
  private GoText() {}

  /** {@code %q}. */
  public static String quote(String text) {
    var out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        case '\r' -> out.append("\\r");
        default -> {
          if (c < 0x20 || c == 0x7f) {
            out.append("\\x").append("%02x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.append('"').toString();
  }

  /** An aggregate of errors: one as it is, several in brackets. */
  public static String aggregate(Collection<String> errors) {
    var text = String.join(", ", errors);
    return errors.size() == 1 ? text : "[" + text + "]";
  }

  /** {@code %v} of decoded JSON: maps print with sorted keys. */
  public static String value(JsonNode node) {
    if (node.isObject()) {
      var sorted = new TreeMap<String, JsonNode>();
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        sorted.put(field.getKey(), field.getValue());
      }
      var parts = new ArrayList<String>();
      sorted.forEach((key, child) -> parts.add(key + ":" + value(child)));
      return "map[" + String.join(" ", parts) + "]";
    }
    if (node.isArray()) {
      List<String> parts = new ArrayList<>();
      node.forEach(child -> parts.add(value(child)));
      return "[" + String.join(" ", parts) + "]";
    }
    return node.isNull() ? "<nil>" : node.asText();
  }
}
