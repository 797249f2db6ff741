package dev.regroup.e2e.replay;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.StreamSupport;

/** Conditions of waits: {@code [path, operator, value]} against one answer. */
final class Conditions {

  private Conditions() {}

  static boolean all(JsonNode conditions, String status, JsonNode body) {
    for (JsonNode condition : conditions) {
      if (!holds(condition, status, body)) {
        return false;
      }
    }
    return true;
  }

  static boolean holds(JsonNode condition, String status, JsonNode body) {
    String path = condition.path(0).asText();
    JsonNode want = condition.path(2);
    if (path.equals("status") || path.equals("@status") || path.equals("type")) {
      return condition.path(1).asText().equals("!=") != status.equals(want.asText());
    }
    JsonNode got = JsonPath.look(body, path);
    return switch (condition.path(1).asText()) {
      case "==" -> equal(got, want);
      case "!=" -> !equal(got, want);
      case "exists" -> !got.isMissingNode();
      case "absent" -> got.isMissingNode();
      case "in" -> StreamSupport.stream(want.spliterator(), false).anyMatch(w -> equal(got, w));
      case ">" -> got.isNumber() && got.asDouble() > want.asDouble();
      case ">=" -> got.isNumber() && got.asDouble() >= want.asDouble();
      case "<" -> got.isNumber() && got.asDouble() < want.asDouble();
      case "<=" -> got.isNumber() && got.asDouble() <= want.asDouble();
      case "len==" -> got.isContainerNode() && got.size() == want.asInt();
      case "len>=" -> got.isContainerNode() && got.size() >= want.asInt();
      case "all==" ->
          !got.isEmpty()
              && StreamSupport.stream(got.spliterator(), false).allMatch(g -> equal(g, want));
      case "all>=" ->
          !got.isEmpty()
              && StreamSupport.stream(got.spliterator(), false)
                  .allMatch(g -> g.asDouble() >= want.asDouble());
      case "contains" ->
          got.isTextual()
              ? got.textValue().contains(want.asText())
              : StreamSupport.stream(got.spliterator(), false).anyMatch(g -> equal(g, want));
      case "matches" -> java.util.regex.Pattern.compile(want.asText()).matcher(got.asText()).find();
      default -> throw new IllegalArgumentException("unknown operator in " + condition);
    };
  }

  private static boolean equal(JsonNode got, JsonNode want) {
    return got.isNumber() && want.isNumber()
        ? got.decimalValue().compareTo(want.decimalValue()) == 0
        : got.equals(want);
  }
}
