package dev.regroup.server.callee;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.RequestFacts;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.patch.JsonDifference;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admission as a webhook (JS-41, JS-43, JS-91, JS-91a): an {@code AdmissionReview} comes in, the
 * link of its path says what it has to say, and the review goes back with a patch, a refusal,
 * warnings. Whoever can reach the port may ask: an answer tells nothing that the question did not
 * hold. Any thread.
 */
public final class AdmissionEndpoint implements Exchange {

  private static final Logger LOG = LoggerFactory.getLogger(AdmissionEndpoint.class);
  private static final String VERSION = "admission.k8s.io/v1";

  /** How a refusal of the built-in admission begins; an API server puts it there by itself. */
  private static final String DENIED = "^admission webhook \"[^\"]*\" denied the request: ";

  private final Map<String, AdmissionLink<InterruptedException>> links;
  private final Lookup lookup;

  /**
   * @param links by path; what one changes becomes a patch
   */
  public AdmissionEndpoint(Map<String, AdmissionLink<InterruptedException>> links, Lookup lookup) {
    this.links = Map.copyOf(links);
    this.lookup = lookup;
  }

  @Override
  public Entry enter(Credentials credentials, Request head) {
    return links.containsKey(head.path())
        ? (Entry.Granted) request -> handle(credentials, request)
        : new Entry.Refused(text(404, "no webhook at this path"));
  }

  @Override
  public Answer handle(Credentials credentials, Request request) throws InterruptedException {
    var link = links.get(request.path());
    if (link == null) {
      return text(404, "no webhook at this path");
    }
    if (!request.method().equals("POST")) {
      return text(405, "a review is sent with POST");
    }
    ObjectNode review;
    try {
      review = Wire.tree(request.body());
    } catch (IOException e) {
      return text(400, "the body is no JSON object");
    }
    var asked = review.path("request");
    if (!Trees.text(review, "kind").equals("AdmissionReview")
        || !Trees.text(review, "apiVersion").equals(VERSION)
        || Trees.text(asked, "uid").isEmpty()) {
      return text(400, "the body is no AdmissionReview of " + VERSION);
    }
    try {
      return json(answer(asked, link));
    } catch (RuntimeException e) { // the one who asks must get an answer, whatever we met
      LOG.error("{}: review {} met a bug", request.path(), Trees.text(asked, "uid"), e);
      return text(500, "the review could not be done: " + e);
    }
  }

  private ObjectNode answer(JsonNode asked, AdmissionLink<InterruptedException> link)
      throws InterruptedException {
    var object = Trees.object(asked, "object").orElseGet(Wire::object);
    var admitted = link.admit(review(asked, object.deepCopy()), lookup);
    var answer = Wire.object();
    answer.put("uid", Trees.text(asked, "uid"));
    answer.put("allowed", admitted.refusal().isEmpty());
    admitted.refusal().ifPresent(refusal -> answer.set("status", unnamed(refusal)));
    if (!admitted.warnings().isEmpty()) {
      var warnings = answer.putArray("warnings");
      admitted.warnings().forEach(warnings::add);
    }
    patch(object, admitted, answer);
    var review = Wire.object().put("apiVersion", VERSION).put("kind", "AdmissionReview");
    review.set("response", answer);
    return review;
  }

  private static void patch(ObjectNode object, Admitted admitted, ObjectNode answer) {
    if (admitted.refusal().isPresent()) {
      return;
    }
    var operations = JsonDifference.between(object, admitted.object());
    if (!operations.isEmpty()) {
      answer.put("patchType", "JSONPatch");
      answer.put("patch", Base64.getEncoder().encodeToString(Wire.write(operations)));
    }
  }

  private static ObjectNode unnamed(ObjectNode refusal) {
    var status = refusal.deepCopy();
    status.put("message", Trees.text(status, "message").replaceFirst(DENIED, ""));
    return status;
  }

  private static Review review(JsonNode asked, ObjectNode object) {
    var kind = asked.path("kind");
    return new Review(
        new GroupVersionKind(
            Trees.text(kind, "group"), Trees.text(kind, "version"), Trees.text(kind, "kind")),
        operation(asked),
        object,
        Trees.object(asked, "oldObject").orElse(null),
        List.of(),
        facts(asked));
  }

  private static Operation operation(JsonNode asked) {
    boolean status = Trees.text(asked, "subResource").equals("status");
    return switch (Trees.text(asked, "operation")) {
      case "CREATE" -> Operation.CREATE;
      case "UPDATE" -> status ? Operation.UPDATE_STATUS : Operation.UPDATE;
      case "DELETE" -> Operation.DELETE;
      default -> Operation.CONNECT;
    };
  }

  private static RequestFacts facts(JsonNode asked) {
    var user = asked.path("userInfo");
    return new RequestFacts(
        new RequestFacts.Asker(
            Trees.text(user, "username"),
            Trees.text(user, "uid"),
            Trees.texts(user, "groups"),
            Map.of()),
        Trees.text(asked, "resource", "resource"),
        Trees.text(asked, "subResource"),
        Trees.text(asked, "namespace"),
        Trees.text(asked, "name"),
        Wire::object,
        Trees.isTrue(asked, "dryRun"));
  }

  private static Answer json(ObjectNode body) {
    return new Answer.Whole(
        new Response(200, Headers.of("content-type", "application/json"), Wire.write(body)));
  }

  private static Answer text(int code, String problem) {
    return new Answer.Whole(
        new Response(
            code, Headers.of("content-type", "text/plain"), (problem + "\n").getBytes(UTF_8)));
  }
}
