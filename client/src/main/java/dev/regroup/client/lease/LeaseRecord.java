package dev.regroup.client.lease;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;

/**
 * What a Lease says, and what it is to say next.
 *
 * @param holder who leads; empty when it was given up
 * @param renewed when the holder last said so, by its own clock: only that it changes counts
 * @param transitions how often the leader changed
 * @param resourceVersion the state it was read in; empty when there is no Lease yet
 */
record LeaseRecord(
    String holder, String acquired, String renewed, int transitions, String resourceVersion) {

  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  static final LeaseRecord NONE = new LeaseRecord("", "", "", 0, "");

  static LeaseRecord read(JsonNode lease) {
    var spec = lease.path("spec");
    return new LeaseRecord(
        spec.path("holderIdentity").asText(""),
        spec.path("acquireTime").asText(""),
        spec.path("renewTime").asText(""),
        spec.path("leaseTransitions").asInt(0),
        lease.path("metadata").path("resourceVersion").asText(""));
  }

  boolean exists() {
    return !resourceVersion.isEmpty();
  }

  boolean heldBy(String identity) {
    return holder.equals(identity);
  }

  /** Taken or renewed by this one, now. */
  LeaseRecord heldBy(String identity, Instant now) {
    var stamp = MICROS.format(now);
    return heldBy(identity)
        ? new LeaseRecord(identity, acquired, stamp, transitions, resourceVersion)
        : new LeaseRecord(identity, stamp, stamp, exists() ? transitions + 1 : 0, resourceVersion);
  }

  /** Given up, so that the next one need not wait. */
  LeaseRecord releasedAt(Instant now) {
    return new LeaseRecord("", acquired, MICROS.format(now), transitions, resourceVersion);
  }

  /** The whole object; everything in it belongs to the leader. */
  ObjectNode object(
      String namespace,
      String name,
      long seconds,
      Map<String, String> labels,
      Map<String, String> annotations) {
    var lease = JsonNodeFactory.instance.objectNode();
    lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
    var metadata = lease.putObject("metadata").put("name", name).put("namespace", namespace);
    if (exists()) {
      metadata.put("resourceVersion", resourceVersion);
    }
    if (!labels.isEmpty()) {
      var marks = metadata.putObject("labels");
      labels.forEach(marks::put);
    }
    if (!annotations.isEmpty()) {
      var notes = metadata.putObject("annotations");
      annotations.forEach(notes::put);
    }
    var spec = lease.putObject("spec");
    if (holder.isEmpty()) {
      spec.putNull("holderIdentity");
    } else {
      spec.put("holderIdentity", holder);
    }
    spec.put("leaseDurationSeconds", seconds);
    if (!acquired.isEmpty()) {
      spec.put("acquireTime", acquired);
    }
    return lease.set("spec", spec.put("renewTime", renewed).put("leaseTransitions", transitions));
  }
}
