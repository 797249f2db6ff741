package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A place in an object together with what was there before the change. What has not changed is not
 * refused, so that an object that became wrong by a change of its schema can still be repaired step
 * by step. Items have a counterpart only where keys tell which is which.
 */
record Counterpart(JsonNode now, JsonNode before, Structural schema) {

  @Nullable Counterpart key(String name) {
    if (!(now instanceof ObjectNode here) || !(before instanceof ObjectNode there)) {
      return null;
    }
    var below = schema.at(name).orElse(null);
    return below == null || !here.has(name) || !there.has(name)
        ? null
        : new Counterpart(here.path(name), there.path(name), below);
  }

  @Nullable Counterpart item(int index) {
    var items = schema.items();
    if (items == null || !isKeyed()) {
      return null;
    }
    for (JsonNode candidate : before) {
      if (sameKeys(candidate, now.path(index))) {
        return new Counterpart(now.path(index), candidate, items);
      }
    }
    return null;
  }

  private boolean isKeyed() {
    return now.isArray() && before.isArray() && schema.extensions().listType().equals("map");
  }

  private boolean sameKeys(JsonNode a, JsonNode b) {
    return schema.extensions().listKeys().stream().allMatch(key -> a.path(key).equals(b.path(key)));
  }

  /** Whether nothing is different; the order of keyed lists does not count. */
  boolean isSame() {
    if (now.equals(before)) {
      return true;
    }
    if (now.size() != before.size()) {
      return false;
    }
    if (isKeyed()) {
      for (int i = 0; i < now.size(); i++) {
        var item = item(i);
        if (item == null || !item.isSame()) {
          return false;
        }
      }
      return true;
    }
    if (now.isObject() && before.isObject()) {
      for (Map.Entry<String, JsonNode> field : now.properties()) {
        var below = key(field.getKey());
        if (below == null || !below.isSame()) {
          return false;
        }
      }
      return true;
    }
    return false;
  }
}
