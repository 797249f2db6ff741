package dev.regroup.api.admission.review;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a request says beside the object: who asks, where, and how. Links from outside look at it;
 * what a kind does itself does not depend on it.
 *
 * @param resource the plural name in the address
 * @param subresource empty for the object itself
 * @param name in the address; empty for a new object
 * @param options made when somebody looks at them
 */
public record RequestFacts(
    Asker asker,
    String resource,
    String subresource,
    String namespace,
    String name,
    Supplier<ObjectNode> options,
    boolean dryRun) {

  /** Nobody asks: an object is checked, or a test. */
  public static final RequestFacts NONE =
      new RequestFacts(new Asker("", "", List.of(), Map.of()), "", "", "", "", Wire::object, false);

  /** Who sends a request. */
  public record Asker(
      String user, String uid, List<String> groups, Map<String, List<String>> extra) {}
}
