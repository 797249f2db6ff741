package dev.regroup.server.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.body.Call;
import dev.regroup.server.resource.Meta;
import java.util.LinkedHashSet;
import java.util.List;

/** One owner counts once, however often a request names it. */
final class OwnerReferences {

  private OwnerReferences() {}

  /** Drops repetitions and tells the client. */
  static void dropRepeated(Call call, ObjectNode object) {
    var owners = Trees.objects(Meta.of(object), "ownerReferences");
    var different = new LinkedHashSet<JsonNode>(owners);
    if (different.size() == owners.size()) {
      return;
    }
    var repeated = new LinkedHashSet<String>();
    var seen = new LinkedHashSet<JsonNode>();
    for (var owner : owners) {
      if (!seen.add(owner)) {
        repeated.add(Trees.text(owner, "uid"));
      }
    }
    Meta.of(object).putArray("ownerReferences").addAll(different);
    call.warn(
        List.of(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner"
                + " references in 1.20+, and may reject such requests as early as 1.24; please fix"
                + " your requests; duplicate UID(s) observed: "
                + String.join(", ", repeated)));
  }
}
