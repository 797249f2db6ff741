package dev.regroup.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Times;
import dev.regroup.api.tree.Trees;
import java.time.Duration;
import java.time.Instant;

/** Leases, by which nodes and controllers show that they are alive. */
public final class LeaseText {

  private LeaseText() {}

  /** A merge patch that renews a lease. */
  public static ObjectNode renewal(String holder, Duration lasts, Instant now) {
    var lease = Wire.object();
    lease
        .putObject("spec")
        .put("holderIdentity", holder)
        .put("leaseDurationSeconds", Math.max(1, lasts.toSeconds()))
        .put("renewTime", Times.micros(now));
    return lease;
  }

  /** The same as a new object. */
  public static ObjectNode object(ObjectNode renewal, String namespace, String name) {
    var lease = renewal.deepCopy();
    lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
    lease.putObject("metadata").put("name", name).put("namespace", namespace);
    return lease;
  }

  /** When it was last renewed, as stored. */
  public static String renewed(JsonNode lease) {
    return Trees.text(lease, "spec", "renewTime");
  }
}
