package dev.regroup.api.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.api.tree.Trees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a server does around admission, in memory: names, uids, patches, decoding. */
final class MiniServer {

  static final String NOW = "2026-11-16T00:00:00Z";

  /** An answer: code, Warning texts, body. */
  record Answer(int status, List<String> warnings, ObjectNode body) {}

  /** One request on one resource. */
  record Request(
      String method,
      GroupVersionKind kind,
      String namespace,
      String name,
      String subresource,
      String fieldValidation,
      String contentType,
      byte[] body) {}

  private final Schema schema;
  private final Decoder decoder;
  private final Admission admission;
  private final Random random = new Random(7);
  private final Map<String, ObjectNode> objects = new HashMap<>();

  MiniServer(AdmissionSettings settings) {
    this.schema = Schema.of(settings.gates(), settings.decoding());
    this.decoder = new Decoder(schema);
    this.admission = new Admission(settings, random);
  }

  void put(String apiVersion, String kind, String namespace, String name, ObjectNode object) {
    objects.put(key(GroupVersionKind.of(apiVersion, kind), namespace, name), object);
  }

  Answer handle(Request request) {
    return switch (request.method()) {
      case "POST" -> create(request);
      case "PUT", "PATCH" -> change(request);
      case "DELETE" -> delete(request);
      default -> throw new IllegalArgumentException(request.method());
    };
  }

  private static String key(GroupVersionKind kind, String namespace, String name) {
    return kind.group() + "/" + kind.kind() + "/" + namespace + "/" + name;
  }

  private Answer create(Request request) {
    Document document;
    try {
      document = Document.parse(request.body());
    } catch (Undecodable e) {
      return refuse(
          RefusalStatus.badRequest(Decoder.unrecognized(request.kind(), e, request.body())),
          List.of());
    }
    Decoder.Decoded decoded;
    try {
      decoded = decoder.decode(document, request.kind());
    } catch (Undecodable e) {
      return refuse(RefusalStatus.badRequest(e.getMessage()), List.of());
    }
    if (request.fieldValidation().equals("Strict") && !decoded.problems().isEmpty()) {
      return refuse(
          RefusalStatus.badRequest(Decoder.strictError(request.kind(), decoded.problems())),
          List.of());
    }
    ObjectNode object = decoded.object();
    ObjectNode metadata =
        object.get("metadata") instanceof ObjectNode given ? given : object.putObject("metadata");
    String prefix = metadata.path("generateName").asText("");
    if (!prefix.isEmpty() && metadata.path("name").asText("").isEmpty()) {
      metadata.put("name", prefix.substring(0, Math.min(58, prefix.length())) + "x7k2p");
    }
    if (!request.namespace().isEmpty()) {
      metadata.put("namespace", request.namespace());
    }
    metadata.put("uid", new UUID(random.nextLong(), random.nextLong()).toString());
    metadata.put("creationTimestamp", NOW);
    if (request.kind().kind().equals("Service") && needsAddress(object.path("spec"))) {
      ((ObjectNode) object.path("spec")).put("clusterIP", "10.96.0." + objects.size());
    }
    return store(request, Operation.CREATE, object, null, warnings(request, decoded));
  }

  private static boolean needsAddress(JsonNode service) {
    return !Trees.text(service, "type").equals("ExternalName")
        && Trees.text(service, "clusterIP").isEmpty();
  }

  private Answer delete(Request request) {
    String key = key(request.kind(), request.namespace(), request.name());
    ObjectNode object = objects.getOrDefault(key, Wire.object());
    if (object.path("metadata").path("finalizers").isEmpty()) {
      objects.remove(key);
    } else {
      ((ObjectNode) object.path("metadata"))
          .put("deletionTimestamp", NOW)
          .put("deletionGracePeriodSeconds", 0);
    }
    return new Answer(200, List.of(), Wire.object());
  }

  private static List<String> warnings(Request request, Decoder.Decoded decoded) {
    return request.fieldValidation().equals("Ignore") ? List.of() : decoded.problems();
  }

  private Answer change(Request request) {
    ObjectNode old = objects.get(key(request.kind(), request.namespace(), request.name()));
    if (old == null) {
      throw new IllegalStateException("no " + request.kind() + " " + request.name());
    }
    try {
      JsonNode body = Wire.tree(request.body());
      ObjectNode wanted = request.method().equals("PUT") ? (ObjectNode) body : old.deepCopy();
      if (request.method().equals("PATCH")) {
        if (request.contentType().startsWith("application/strategic")) {
          new Patches(schema).strategic(wanted, body, schema.kind(request.kind()).orElse(null));
        } else {
          Patches.merge(wanted, body);
        }
      }
      var decoded = decoder.decode(new Document(wanted, List.of()), request.kind());
      if (request.fieldValidation().equals("Strict") && !decoded.problems().isEmpty()) {
        return patchRefused(
            body, "strict decoding error: " + String.join(", ", decoded.problems()));
      }
      var operation =
          request.subresource().equals("status") ? Operation.UPDATE_STATUS : Operation.UPDATE;
      return store(request, operation, decoded.object(), old, warnings(request, decoded));
    } catch (Undecodable e) {
      return patchRefused(Wire.object(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Answer patchRefused(JsonNode patch, String why) {
    var error = FieldError.invalid(FieldPath.of("patch"), Wire.text(patch), why);
    return refuse(
        RefusalStatus.invalid(new GroupVersionKind("", "", ""), "", List.of(error)), List.of());
  }

  private Answer store(
      Request request,
      Operation operation,
      ObjectNode object,
      @Nullable ObjectNode old,
      List<String> decoding) {
    Admitted admitted =
        admission.admit(
            new Review(request.kind(), operation, object, old),
            (apiVersion, kind, namespace, name) ->
                Optional.ofNullable(
                    objects.get(
                        key(
                            GroupVersionKind.of(apiVersion, kind),
                            namespace == null ? "" : namespace,
                            name))));
    var warnings = new ArrayList<>(decoding);
    warnings.addAll(admitted.warnings());
    if (admitted.refusal().isPresent()) {
      return refuse(admitted.refusal().get(), warnings);
    }
    ObjectNode stored = admitted.object();
    ((ObjectNode) stored.path("metadata")).put("resourceVersion", "1");
    objects.put(
        key(request.kind(), request.namespace(), stored.path("metadata").path("name").asText()),
        stored);
    return new Answer(operation == Operation.CREATE ? 201 : 200, warnings, stored.deepCopy());
  }

  private static Answer refuse(ObjectNode status, List<String> warnings) {
    return new Answer(status.path("code").intValue(), warnings, status);
  }
}
