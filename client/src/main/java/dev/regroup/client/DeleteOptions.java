package dev.regroup.client;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * How an object is to be deleted. What is absent is left to the server.
 *
 * @param graceSeconds how long a pod may take to stop; 0 removes it at once
 * @param uid delete only this very object
 * @param resourceVersion delete it only in this state
 */
public record DeleteOptions(
    OptionalInt graceSeconds,
    @Nullable Propagation propagation,
    @Nullable String uid,
    @Nullable String resourceVersion) {

  private static final JsonMapper JSON = ServerJson.MAPPER;

  /** What happens to the objects that the deleted one owns. */
  public enum Propagation {
    BACKGROUND("Background"),
    FOREGROUND("Foreground"),
    ORPHAN("Orphan");

    private final String wireName;

    Propagation(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  public static final DeleteOptions NONE = new DeleteOptions(OptionalInt.empty(), null, null, null);

  public DeleteOptions withGrace(int seconds) {
    return new DeleteOptions(OptionalInt.of(seconds), propagation, uid, resourceVersion);
  }

  public DeleteOptions with(Propagation newPropagation) {
    return new DeleteOptions(graceSeconds, newPropagation, uid, resourceVersion);
  }

  public DeleteOptions onlyUid(String newUid) {
    return new DeleteOptions(graceSeconds, propagation, newUid, resourceVersion);
  }

  public DeleteOptions onlyAt(String newResourceVersion) {
    return new DeleteOptions(graceSeconds, propagation, uid, newResourceVersion);
  }

  ObjectNode json() {
    var options = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "DeleteOptions");
    graceSeconds.ifPresent(seconds -> options.put("gracePeriodSeconds", seconds));
    if (propagation != null) {
      options.put("propagationPolicy", propagation.wireName());
    }
    if (uid != null) {
      options.withObjectProperty("preconditions").put("uid", uid);
    }
    if (resourceVersion != null) {
      options.withObjectProperty("preconditions").put("resourceVersion", resourceVersion);
    }
    return options;
  }
}
