package dev.regroup.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.resource.DefinitionConditions;
import dev.regroup.server.resource.DefinitionConditions.Condition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Who may have which name in a group: the one who had it first. A definition gets every name that
 * is free, and is established once it has had all of them. Pure but for the tree it is given.
 */
final class NameClaims {
  private final ObjectNode wanted;
  private final ObjectNode accepted;
  private final Set<String> resources = new HashSet<>();
  private final Set<String> kinds = new HashSet<>();
  private Condition verdict =
      new Condition("NamesAccepted", true, "NoConflicts", "no conflicts found");

  private NameClaims(ObjectNode definition, List<ObjectNode> others) {
    this.wanted = Trees.child(Trees.child(definition, "spec"), "names");
    this.accepted = Trees.child(Trees.child(definition, "status"), "acceptedNames");
    for (ObjectNode other : others) {
      var names = Trees.at(other, "status", "acceptedNames");
      resources.add(Trees.text(names, "plural"));
      resources.add(Trees.text(names, "singular"));
      resources.addAll(Trees.texts(names, "shortNames"));
      kinds.add(Trees.text(names, "kind"));
      kinds.add(Trees.text(names, "listKind"));
    }
  }

  /**
   * Writes names and conditions into the status.
   *
   * @param others the other definitions of the group
   */
  static void settle(ObjectNode definition, List<ObjectNode> others, Instant now) {
    var claims = new NameClaims(definition, others);
    claims.claim("plural", claims.resources, "PluralConflict");
    claims.claim("singular", claims.resources, "SingularConflict");
    claims.claimShortNames();
    claims.claim("kind", claims.kinds, "KindConflict");
    claims.claim("listKind", claims.kinds, "ListKindConflict");
    claims.take("categories");
    DefinitionConditions.set(definition, claims.verdict, now);
    if (DefinitionConditions.holds(definition, "Established")) {
      return;
    }
    DefinitionConditions.set(
        definition,
        claims.verdict.holds()
            ? new Condition(
                "Established", true, "InitialNamesAccepted", "the initial names have been accepted")
            : new Condition("Established", false, "NotAccepted", "not all names are accepted"),
        now);
  }

  private void claim(String field, Set<String> taken, String conflict) {
    var name = Trees.text(wanted, field);
    if (name.equals(Trees.text(accepted, field)) || !taken.contains(name)) {
      take(field);
    } else {
      refuse(conflict, quoted(name) + " is already in use");
    }
  }

  private void claimShortNames() {
    var mine = Trees.texts(accepted, "shortNames");
    var problems = new ArrayList<String>();
    for (String name : Trees.texts(wanted, "shortNames")) {
      if (!mine.contains(name) && resources.contains(name)) {
        problems.add(quoted(name) + " is already in use");
      }
    }
    if (problems.isEmpty()) {
      take("shortNames");
    } else {
      var text = String.join(", ", problems);
      refuse("ShortNamesConflict", problems.size() == 1 ? text : "[" + text + "]");
    }
  }

  private static String quoted(String name) {
    return '"' + name + '"';
  }

  private void refuse(String reason, String message) {
    verdict = new Condition("NamesAccepted", false, reason, message);
  }

  private void take(String field) {
    JsonNode value = wanted.get(field);
    if (value == null) {
      accepted.remove(field);
    } else {
      accepted.set(field, value.deepCopy());
    }
  }
}
