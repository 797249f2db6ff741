package dev.regroup.node.report;

import com.fasterxml.jackson.databind.JsonNode;

/** Compares the parts of a pod status that belong to the node. */
final class Owned {

  private Owned() {}

  /** True when everything the node wrote is still there; other writers may have added more. */
  static boolean same(JsonNode mine, JsonNode seen) {
    return mine.path("phase").equals(seen.path("phase"))
        && contained(mine.path("conditions"), seen.path("conditions"), "type")
        && contained(mine.path("containerStatuses"), seen.path("containerStatuses"), "name")
        && contained(
            mine.path("initContainerStatuses"), seen.path("initContainerStatuses"), "name");
  }

  private static boolean contained(JsonNode mine, JsonNode seen, String key) {
    for (var entry : mine) {
      if (!matches(entry, find(seen, key, entry.path(key).asText()))) {
        return false;
      }
    }
    return true;
  }

  private static JsonNode find(JsonNode list, String key, String value) {
    for (var entry : list) {
      if (entry.path(key).asText().equals(value)) {
        return entry;
      }
    }
    return com.fasterxml.jackson.databind.node.MissingNode.getInstance();
  }

  /** Every field that was written has the value that is seen; null and absent are equal. */
  private static boolean matches(JsonNode mine, JsonNode seen) {
    if (mine.isNull()) {
      return seen.isNull() || seen.isMissingNode();
    }
    if (!mine.isObject()) {
      return mine.equals(seen);
    }
    for (var field : mine.properties()) {
      if (!matches(field.getValue(), seen.path(field.getKey()))) {
        return field.getValue().isEmpty() && seen.path(field.getKey()).isMissingNode();
      }
    }
    return true;
  }
}
