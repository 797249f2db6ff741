package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;

/**
 * One entry of {@code x-kubernetes-validations}: a CEL expression that must be true. Texts are
 * empty when not given.
 *
 * @param optionalOld whether {@code oldSelf} is there as an optional value when nothing is old
 */
public record ValidationRule(
    String rule,
    String message,
    String messageExpression,
    String reason,
    String fieldPath,
    boolean optionalOld) {

  static ValidationRule of(JsonNode json) {
    return new ValidationRule(
        Trees.text(json, "rule"),
        Trees.text(json, "message"),
        Trees.text(json, "messageExpression"),
        Trees.text(json, "reason"),
        Trees.text(json, "fieldPath"),
        Trees.isTrue(json, "optionalOldSelf"));
  }

  /** What stands for the rule in a message about it. */
  public String title() {
    return (message.isEmpty() ? rule : message).strip();
  }
}
