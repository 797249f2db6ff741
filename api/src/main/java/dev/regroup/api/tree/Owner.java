package dev.regroup.api.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.Optional;

/** The controlling owner of an object. */
public record Owner(String apiVersion, String kind, String name, String uid) {

  public static Optional<Owner> controller(JsonNode object) {
    for (var reference : object.path("metadata").path("ownerReferences")) {
      if (reference.path("controller").asBoolean(false)) {
        return Optional.of(
            new Owner(
                Trees.text(reference, "apiVersion"),
                Trees.text(reference, "kind"),
                Trees.text(reference, "name"),
                Trees.text(reference, "uid")));
      }
    }
    return Optional.empty();
  }

  /** As controller that delays a foreground deletion (JB-30, JS-33). */
  public ObjectNode reference() {
    return Wire.object()
        .put("apiVersion", apiVersion)
        .put("kind", kind)
        .put("name", name)
        .put("uid", uid)
        .put("controller", true)
        .put("blockOwnerDeletion", true);
  }
}
