package dev.regroup.control.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A claim for a volume, as far as using it goes. Pure. The one kind of storage there is are
 * directories of this machine: class {@value #STANDARD}, which a claim also gets that names none.
 * As with other local storage, a claim is bound when the first pod needs it.
 *
 * @param isDeleted whether it only waits for its last user
 * @param isBound whether pods can use it
 * @param isForOnePod {@code ReadWriteOncePod}
 * @param selectedNode where its first user goes; empty before there is one
 * @param refusal why no volume is ever made for it
 */
public record ClaimView(
    boolean isDeleted,
    boolean isBound,
    boolean isForOnePod,
    String selectedNode,
    Optional<Refusal> refusal) {

  public static final String STANDARD = "standard";

  /** The scheduler's word for the provisioner: a pod needs this claim, on this node. */
  public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

  /** Reason and text of the event that says it. */
  public record Refusal(String reason, String message) {}

  public static ClaimView of(ObjectNode claim) {
    var metadata = claim.path("metadata");
    var spec = claim.path("spec");
    boolean onePod = false;
    for (JsonNode mode : spec.path("accessModes")) {
      onePod |= mode.asText("").equals("ReadWriteOncePod");
    }
    return new ClaimView(
        metadata.hasNonNull("deletionTimestamp"),
        claim.path("status").path("phase").asText("").equals("Bound"),
        onePod,
        metadata.path("annotations").path(SELECTED_NODE).asText(""),
        refusal(spec, metadata.path("uid").asText("")));
  }

  /** The name of the volume that is made for the claim with this uid. */
  public static String volumeName(String uid) {
    return "pvc-" + uid;
  }

  private static Optional<Refusal> refusal(JsonNode spec, String uid) {
    var storageClass = spec.path("storageClassName");
    String name = storageClass.asText(STANDARD);
    String volume = spec.path("volumeName").asText("");
    if (!volume.isEmpty() && !volume.equals(volumeName(uid))) {
      return refused("FailedBinding", "volume \"%s\" not found".formatted(volume));
    }
    if (name.isEmpty()) {
      return refused(
          "FailedBinding",
          "no persistent volumes available for this claim and no storage class is set");
    }
    if (!name.equals(STANDARD)) {
      return refused(
          "ProvisioningFailed",
          "storageclass.storage.k8s.io \"%s\" not found (\"%s\" is the only one here)"
              .formatted(name, STANDARD));
    }
    if (spec.path("volumeMode").asText("").equals("Block")) {
      return unable("volumeMode Block is not supported");
    }
    if (spec.path("selector").isObject()) {
      return unable("claim.Spec.Selector is not supported");
    }
    return spec.has("dataSource") || spec.has("dataSourceRef")
        ? unable("data sources are not supported")
        : Optional.empty();
  }

  private static Optional<Refusal> unable(String why) {
    return refused(
        "ProvisioningFailed",
        "failed to provision volume with StorageClass \"%s\": %s".formatted(STANDARD, why));
  }

  private static Optional<Refusal> refused(String reason, String message) {
    return Optional.of(new Refusal(reason, message));
  }
}
