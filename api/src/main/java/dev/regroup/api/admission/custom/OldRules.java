package dev.regroup.api.admission.custom;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier form of a definition had: a schema that is as it was is not refused for being
 * expensive.
 */
final class OldRules {
  private final Set<JsonNode> schemas = new HashSet<>();

  OldRules(@Nullable ObjectNode definition) {
    if (definition != null) {
      for (ObjectNode version : Trees.objects(definition, "spec", "versions")) {
        schemas.add(Trees.at(version, "schema", "openAPIV3Schema"));
      }
    }
  }

  boolean hadSchema(JsonNode schema) {
    return schemas.contains(schema);
  }
}
