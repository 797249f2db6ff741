package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import java.time.Instant;

/** Conditions in the status of a definition. */
public final class DefinitionConditions {

  /** One condition as it shall be. */
  public record Condition(String type, boolean holds, String reason, String message) {}

  private DefinitionConditions() {}

  /** Whether a condition is there and true. */
  public static boolean holds(ObjectNode definition, String type) {
    return find(definition, type).path("status").asText("").equals("True");
  }

  private static JsonNode find(ObjectNode definition, String type) {
    for (JsonNode condition : definition.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    return MissingNode.getInstance();
  }

  private static String text(Condition condition) {
    return condition.holds() ? "True" : "False";
  }

  /** Sets a condition; its time changes only with its status. */
  public static void set(ObjectNode definition, Condition wanted, Instant now) {
    ObjectNode condition;
    if (find(definition, wanted.type()) instanceof ObjectNode there) {
      condition = there;
    } else {
      condition = Trees.list(Trees.child(definition, "status"), "conditions").addObject();
      condition.put("type", wanted.type());
    }
    boolean turned = !condition.path("status").asText("").equals(text(wanted));
    condition.put("status", text(wanted));
    if (turned) {
      condition.put("lastTransitionTime", Meta.stamp(now));
    }
    condition.put("reason", wanted.reason()).put("message", wanted.message());
  }
}
