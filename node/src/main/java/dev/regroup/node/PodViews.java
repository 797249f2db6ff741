package dev.regroup.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads revisions of pods. Most revisions are the node's own status writes: then the typed part is
 * taken over from the revision before. Called by the informer's thread only.
 */
final class PodViews {

  private static final Logger LOG = LoggerFactory.getLogger(PodViews.class);

  private final Map<String, PodView> newest = new HashMap<>();

  /** Empty when the pod cannot be read: one odd pod must not hide the others. */
  Optional<PodView> read(JsonNode tree) {
    try {
      return Optional.of(view(tree));
    } catch (UncheckedIOException | IllegalArgumentException e) {
      LOG.error("pod {} cannot be read and is left alone", tree.path("metadata").path("name"), e);
      return Optional.empty();
    }
  }

  private PodView view(JsonNode tree) {
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
