package dev.regroup.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.api.tree.Trees;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * What a webhook says to one review.
 *
 * @param refusal the status to answer with
 * @param patch operations that change the object
 */
record WebhookAnswer(
    Optional<ObjectNode> refusal, Optional<ArrayNode> patch, List<String> warnings) {

  /** Reads the body of an answer; throws when it is none to this review. */
  static WebhookAnswer of(String webhook, String version, String uid, ObjectNode body)
      throws WebhookCaller.NoAnswer {
    var expected = "admission.k8s.io/" + version;
    var apiVersion = Trees.text(body, "apiVersion");
    var kind = Trees.text(body, "kind");
    if (!kind.equals("AdmissionReview") || !apiVersion.equals(expected)) {
      throw invalid(
          "expected webhook response of %s, Kind=AdmissionReview, got %s, Kind=%s"
              .formatted(expected, apiVersion, kind));
    }
    var response = Trees.object(body, "response").orElseThrow(() -> absent());
    var answered = Trees.text(response, "uid");
    if (version.equals("v1") && !answered.equals(uid)) {
      throw invalid("expected response.uid=\"%s\", got \"%s\"".formatted(uid, answered));
    }
    var warnings = Trees.texts(response, "warnings");
    if (!Trees.isTrue(response, "allowed")) {
      return new WebhookAnswer(
          Optional.of(refusal(webhook, response.path("status"))), Optional.empty(), warnings);
    }
    return new WebhookAnswer(Optional.empty(), patch(version, response), warnings);
  }

  private static WebhookCaller.NoAnswer absent() {
    return new WebhookCaller.NoAnswer("webhook response was absent", null);
  }

  private static WebhookCaller.NoAnswer invalid(String problem) {
    return new WebhookCaller.NoAnswer("received invalid webhook response: " + problem, null);
  }

  private static Optional<ArrayNode> patch(String version, ObjectNode response)
      throws WebhookCaller.NoAnswer {
    var patch = Trees.text(response, "patch");
    var type = Trees.text(response, "patchType");
    if (patch.isEmpty()) {
      if (!type.isEmpty()) {
        throw invalid("webhook returned response.patchType but not response.patch");
      }
      return Optional.empty();
    }
    boolean known = type.equals("JSONPatch") || (type.isEmpty() && !version.equals("v1"));
    if (!known) {
      throw invalid("webhook returned invalid response.patchType of \"%s\"".formatted(type));
    }
    try {
      JsonNode operations = Document.any(Base64.getDecoder().decode(patch));
      if (operations instanceof ArrayNode list) {
        return Optional.of(list);
      }
    } catch (Undecodable | IllegalArgumentException e) {
      throw new WebhookCaller.NoAnswer("received undecodable patch in webhook response", e);
    }
    throw new WebhookCaller.NoAnswer("received undecodable patch in webhook response", null);
  }

  /** The webhook's own status with the sentence that names it. */
  private static ObjectNode refusal(String webhook, JsonNode given) {
    var who = "admission webhook \"" + webhook + "\" denied the request";
    var status = Wire.object();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    status.put("status", "Failure");
    var message = Trees.text(given, "message");
    var reason = Trees.text(given, "reason");
    if (!message.isEmpty()) {
      status.put("message", who + ": " + message);
    } else {
      status.put("message", reason.isEmpty() ? who + " without explanation" : who + ": " + reason);
    }
    if (!reason.isEmpty()) {
      status.put("reason", reason);
    }
    if (given.path("details").isObject()) {
      status.set("details", given.path("details").deepCopy());
    }
    status.put("code", Math.max(400, given.path("code").asInt(400)));
    return status;
  }
}
