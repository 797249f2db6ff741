package dev.regroup.node.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * A strategic merge patch that turns one status into another. Lists with keys are merged by the
 * server, so conditions of others stay; what is no longer said has to be named.
 */
final class StatusPatch {

  private static final List<String> TEXTS = List.of("reason", "message");
  private static final List<String> ADDRESSES = List.of("podIPs", "hostIPs");

  private StatusPatch() {}

  /**
   * Returns the patch of {@code status}.
   *
   * @param base what the server has, as far as known
   * @param next the whole new status; not changed
   */
  static ObjectNode of(JsonNode base, ObjectNode next) {
    var patch = next.deepCopy();
    clear(base, patch);
    for (var condition : patch.path("conditions")) {
      var before = find(base.path("conditions"), "type", condition.path("type").asText());
      if (condition instanceof ObjectNode entry) {
        clear(before, entry);
      }
    }
    for (var list : ADDRESSES) {
      if (patch.get(list) instanceof ArrayNode entries) {
        dropOthers(base.path(list), entries);
      }
    }
    return patch;
  }

  private static void clear(JsonNode before, ObjectNode patch) {
    for (var field : TEXTS) {
      if (!before.path(field).asText("").isEmpty() && !patch.has(field)) {
        patch.putNull(field);
      }
    }
  }

  private static void dropOthers(JsonNode before, ArrayNode entries) {
    for (var old : before) {
      var ip = old.path("ip").asText();
      if (find(entries, "ip", ip).isMissingNode()) {
        entries.addObject().put("$patch", "delete").put("ip", ip);
      }
    }
  }

  private static JsonNode find(JsonNode list, String key, String value) {
    for (var entry : list) {
      if (entry.path(key).asText().equals(value)) {
        return entry;
      }
    }
    return com.fasterxml.jackson.databind.node.MissingNode.getInstance();
  }
}
