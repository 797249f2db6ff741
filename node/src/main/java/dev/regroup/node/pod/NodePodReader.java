package dev.regroup.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.jobset.JobSetKeys;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads revisions of pods. Most revisions are the node's own writes, of the status and of what it
 * tells in annotations: then spec and decisions' part are taken over from the revision before.
 * Called by the informer's thread only.
 */
public final class NodePodReader {

  private static final Logger LOG = LoggerFactory.getLogger(NodePodReader.class);

  /** What the node writes itself, and what it decides nothing by. */
  private static final Set<String> OWN =
      Set.of(
          JobSetKeys.RESTARTS,
          JobSetKeys.PROGRAM,
          JobSetKeys.IN_PLACE_RESTART_ATTEMPT,
          JobSetKeys.EPOCH);

  private final Map<String, NodePod> newest = new HashMap<>();

  /** Empty when the pod cannot be read: one odd pod must not hide the others. */
  public Optional<NodePod> read(JsonNode tree) {
    try {
      return Optional.of(view(tree));
    } catch (UncheckedIOException | IllegalArgumentException e) {
      LOG.error("pod {} cannot be read and is left alone", tree.path("metadata").path("name"), e);
      return Optional.empty();
    }
  }

  private NodePod view(JsonNode tree) {
    var uid = tree.path("metadata").path("uid").asText();
    var known = newest.get(uid);
    var view =
        known != null && sameObject(known, tree.path("metadata"))
            ? known.withNews(tree)
            : NodePod.read(tree);
    newest.put(uid, view);
    return view;
  }

  public void forget(String uid) {
    newest.remove(uid);
  }

  /** Everything but the node's own part is equal: the generation stands for the spec. */
  private static boolean sameObject(NodePod known, JsonNode metadata) {
    var before = known.metadata();
    return metadata.has("generation")
        && metadata.path("generation").equals(before.path("generation"))
        && sameAnnotations(metadata.path("annotations"), before.path("annotations"))
        && metadata.path("labels").equals(before.path("labels"))
        && metadata.path("deletionTimestamp").equals(before.path("deletionTimestamp"))
        && metadata
            .path("deletionGracePeriodSeconds")
            .equals(before.path("deletionGracePeriodSeconds"));
  }

  private static boolean sameAnnotations(JsonNode some, JsonNode others) {
    return some.equals(others) || (covers(some, others) && covers(others, some));
  }

  private static boolean covers(JsonNode some, JsonNode others) {
    return others.properties().stream()
        .allMatch(entry ->
            OWN.contains(entry.getKey()) || entry.getValue().equals(some.get(entry.getKey())));
  }
}
