package dev.regroup.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.policy.MatchCriteria;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.resource.Meta;
import java.util.List;
import java.util.Optional;

/** Where a policy applies and what it does there: one stored binding. */
record PolicyBinding(
    String name,
    String policy,
    Optional<MatchCriteria> match,
    Optional<JsonNode> parameters,
    List<String> actions) {

  static PolicyBinding of(ObjectNode binding) {
    var spec = binding.path("spec");
    return new PolicyBinding(
        Meta.name(binding),
        Trees.text(spec, "policyName"),
        Trees.object(spec, "matchResources").map(MatchCriteria::ofPolicy),
        Trees.object(spec, "paramRef").map(reference -> reference),
        Trees.texts(spec, "validationActions"));
  }

  boolean denies() {
    return actions.contains("Deny");
  }

  boolean warns() {
    return actions.contains("Warn");
  }
}
