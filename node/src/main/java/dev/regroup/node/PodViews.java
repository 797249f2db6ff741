package dev.regroup.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads revisions of pods. Most revisions are the node's own status writes: then the typed part is
 * taken over from the revision before. Called by the informer's thread only.
 */
final class PodViews {

  private final Map<String, PodView> newest = new HashMap<>();

  PodView read(JsonNode tree) {
    var uid = tree.path("metadata").path("uid").asText();
    var known = newest.get(uid);
    var view =
        known != null && sameObject(known, tree.path("metadata"))
            ? known.withStatus(tree)
            : PodView.read(tree);
    newest.put(uid, view);
    return view;
  }

  void forget(String uid) {
    newest.remove(uid);
  }

  /** Everything but the status is equal: the generation stands for the spec. */
  private static boolean sameObject(PodView known, JsonNode metadata) {
    var before = known.metadata();
    return metadata.has("generation")
        && metadata.path("generation").equals(before.path("generation"))
        && metadata.path("annotations").equals(before.path("annotations"))
        && metadata.path("labels").equals(before.path("labels"))
        && metadata.path("deletionTimestamp").equals(before.path("deletionTimestamp"))
        && metadata
            .path("deletionGracePeriodSeconds")
            .equals(before.path("deletionGracePeriodSeconds"));
  }
}
