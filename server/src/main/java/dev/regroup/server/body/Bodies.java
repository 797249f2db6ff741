package dev.regroup.server.body;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.protobuf.ProtobufCodec;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.client.Request;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ResourceType.Trait;
import dev.regroup.server.wire.GoText;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.WriteParameters;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Request bodies as objects of an expected kind, or Kubernetes' words about what is wrong. */
public final class Bodies {
  private static final String UNKNOWN_FORMAT =
      "the body of the request was in an unknown format - accepted media types include:"
          + " application/json, application/yaml";
  private static final String PARSE_ERROR = "json parse error: ";
  private static final String HANDLED = " cannot be handled as a ";
  private static final String STRICT = "strict decoding error: ";
  private static final Set<String> TYPE = Set.of("apiVersion", "kind");
  private static final Set<String> TYPE_AND_NAME = Set.of("apiVersion", "kind", "metadata");

  private Bodies() {}

  /**
   * Brings a document into the form of its kind. Fields that the stored object uses stay known,
   * also when their gate is off now (GATE-11, GATE-12).
   */
  private static Decoder.Decoded decode(
      Call call, Document document, ResourceType type, @Nullable ObjectNode stored)
      throws Undecodable {
    var kinds = call.kinds();
    var decoder = new Decoder(kinds.schema());
    var custom = type.custom();
    if (custom.isPresent()) {
      return custom.get().read(document, decoder);
    }
    boolean allKnown = kinds.schema() == kinds.ofStored();
    if (stored == null || allKnown || !type.has(Trait.GATED_FIELDS)) {
      return decoder.decode(document, type.kind());
    }
    var copy = new Document(document.tree().deepCopy(), document.duplicates());
    var decoded = decoder.decode(copy, type.kind());
    if (decoded.problems().isEmpty()) {
      return decoded;
    }
    var known = decoder.decode(new Document(stored.deepCopy(), List.of()), type.kind());
    return known.problems().isEmpty()
        ? decoded
        : new Decoder(kinds.ofStored()).decode(document, type.kind());
  }

  /** Reads the object of a create; what its fields deserve is added to the warnings. */
  public static ObjectNode object(Call call, ResourceType type, WriteParameters options)
      throws Refused {
    return object(call, type, options, null);
  }

  /** Reads the object of an update. */
  public static ObjectNode object(
      Call call, ResourceType type, WriteParameters options, @Nullable ObjectNode stored)
      throws Refused {
    var document = parse(call.request(), type.kind());
    if (type.has(Trait.CUSTOM)) {
      checkKind(call, document.tree(), type);
      checkVersion(call, document.tree(), type.kind());
    }
    try {
      return accepted(call, decode(call, document, type, stored), type.kind(), options);
    } catch (Undecodable e) {
      throw Refused.badRequest(text(e));
    }
  }

  /** Reads a body that is no stored object, such as a binding. */
  public static ObjectNode part(Call call, GroupVersionKind kind, WriteParameters options)
      throws Refused {
    return part(call, kind, Set.of(), options);
  }

  /** The same, of a kind that is also taken in older versions with the same fields. */
  public static ObjectNode part(
      Call call, GroupVersionKind kind, Set<String> older, WriteParameters options) throws Refused {
    var document = parse(call.request(), kind);
    if (older.contains(document.tree().path("apiVersion").asText(""))) {
      document.tree().put("apiVersion", kind.apiVersion());
    }
    try {
      return accepted(
          call, new Decoder(call.kinds().schema()).decode(document, kind), kind, options);
    } catch (Undecodable e) {
      throw Refused.badRequest(text(e));
    }
  }

  /** Nothing is guessed about the type of a custom resource. */
  private static void checkKind(Call call, ObjectNode object, ResourceType type) throws Refused {
    if (type.custom().isEmpty()) {
      return;
    }
    var kind = type.kind();
    if (object.path("kind").asText("").isEmpty()) {
      var body = new String(call.request().body(), StandardCharsets.UTF_8);
      throw Refused.badRequest(
          Decoder.unrecognized(
              kind,
              new Undecodable("Object 'Kind' is missing in '" + body + "'"),
              call.request().body()));
    }
    var version = object.path("apiVersion").asText("");
    if (!GroupVersionKind.of(version, "").group().equals(kind.group())) {
      throw otherVersion(version, kind);
    }
  }

  private static Refused otherVersion(String version, GroupVersionKind kind) {
    return Refused.badRequest(
        "the API version in the data (%s) does not match the expected API version (%s)"
            .formatted(version, kind.apiVersion()));
  }

  /** A custom resource in another version is known by name, but none of its fields is. */
  private static void checkVersion(Call call, ObjectNode object, GroupVersionKind kind)
      throws Refused {
    var version = object.path("apiVersion").asText("");
    var found = GroupVersionKind.of(version, object.path("kind").asText(""));
    boolean otherVersion =
        found.group().equals(kind.group())
            && found.kind().equals(kind.kind())
            && !found.version().equals(kind.version());
    if (!otherVersion) {
      return;
    }
    call.warn(
        object
            .propertyStream()
            .map(Map.Entry::getKey)
            .filter(field -> !TYPE_AND_NAME.contains(field))
            .map(field -> "unknown field " + GoText.quote(field))
            .toList());
    throw otherVersion(version, kind);
  }

  private static ObjectNode accepted(
      Call call, Decoder.Decoded decoded, GroupVersionKind kind, WriteParameters options)
      throws Refused {
    if (!decoded.problems().isEmpty()) {
      switch (options.fieldValidation()) {
        case IGNORE -> {}
        case WARN -> call.warn(warnings(decoded.problems()));
        case STRICT -> throw Refused.badRequest(Decoder.strictError(kind, decoded.problems()));
      }
    }
    return decoded.object();
  }

  /** A header has one line: of a complaint of the YAML library only that about the line stays. */
  private static List<String> warnings(List<String> problems) {
    return problems.stream()
        .map(problem -> problem.replace(YamlBody.YAML_PROBLEM, "line "))
        .toList();
  }

  /**
   * Brings a patched object into the form of its kind, or refuses the patch. What is as it was
   * stored has that form, unless a definition can have changed it.
   */
  public static ObjectNode patched(
      Call call,
      ObjectNode tree,
      ResourceType type,
      WriteParameters options,
      @Nullable ObjectNode stored)
      throws Refused {
    return patched(call, tree, type, options, stored, PatchProblems.NONE);
  }

  /** The same, with what was noticed when the patch was read. */
  public static ObjectNode patched(
      Call call,
      ObjectNode tree,
      ResourceType type,
      WriteParameters options,
      @Nullable ObjectNode stored,
      PatchProblems noticed)
      throws Refused {
    var same =
        (stored == null || type.custom().isPresent()) ? Set.<String>of() : sameParts(tree, stored);
    try {
      var parts = same.isEmpty() ? tree : withoutParts(tree, same);
      var decoded = decode(call, new Document(parts, List.of()), type, stored);
      var problems = new ArrayList<>(noticed.problems());
      problems.addAll(decoded.problems());
      if (!problems.isEmpty()) {
        switch (options.fieldValidation()) {
          case IGNORE -> {}
          case WARN -> call.warn(problems);
          case STRICT -> throw badPatch(noticed.shown(tree), STRICT + String.join(", ", problems));
        }
      }
      return stored == null || same.isEmpty()
          ? decoded.object()
          : together(tree, same, stored, decoded.object());
    } catch (Undecodable e) {
      throw badPatch(tree.toString(), withoutLead(text(e)));
    }
  }

  /** The top-level parts that are as they are stored. */
  private static Set<String> sameParts(ObjectNode tree, ObjectNode stored) {
    var same = new HashSet<String>();
    for (var part : tree.properties()) {
      var name = part.getKey();
      if (!TYPE.contains(name) && part.getValue().equals(stored.get(name))) {
        same.add(name);
      }
    }
    return same;
  }

  private static ObjectNode withoutParts(ObjectNode tree, Set<String> left) {
    var rest = Wire.object();
    for (var part : tree.properties()) {
      if (!left.contains(part.getKey())) {
        rest.set(part.getKey(), part.getValue());
      }
    }
    return rest;
  }

  /** The object in its old order: parts that were decoded, and stored ones that did not need it. */
  private static ObjectNode together(
      ObjectNode tree, Set<String> same, ObjectNode stored, ObjectNode decoded) {
    var whole = Wire.object();
    for (var part : tree.properties()) {
      var name = part.getKey();
      var value = same.contains(name) ? stored.get(name) : decoded.get(name);
      if (value != null) {
        whole.set(name, value);
      }
    }
    for (var name : List.of("kind", "apiVersion")) { // a patch that takes them away changes nothing
      if (!whole.has(name) && decoded.has(name)) {
        whole.set(name, decoded.get(name));
      }
    }
    return whole;
  }

  /** What a delete brings along, as JSON or protobuf. */
  public static byte[] deleteOptions(Request request) throws Refused {
    byte[] body = request.body();
    if (body.length == 0) {
      return body;
    }
    return switch (mediaType(request)) {
      case "", "application/json", "application/vnd.kubernetes.protobuf" -> body;
      case "application/yaml" -> {
        try {
          yield Wire.write(YamlBody.read(body).tree());
        } catch (YamlBody.BadYaml e) {
          throw Refused.badRequest(String.valueOf(e.getMessage()));
        }
      }
      default ->
          throw new Refused(
              unsupported(UNKNOWN_FORMAT + ", application/vnd.kubernetes.protobuf", null));
    };
  }

  /** Reads a patch that is an object. */
  public static Document patch(byte[] body) throws Refused {
    try {
      if (Document.any(body).isNull()) {
        throw Refused.badRequest("Invalid JSON Patch");
      }
      return Document.parse(body);
    } catch (Undecodable e) {
      throw Refused.badRequest("error decoding patch: " + cause(e));
    }
  }

  /** Reads a strategic merge patch, whose reader says less about itself. */
  public static Document strategicPatch(byte[] body) throws Refused {
    try {
      return Document.parse(body);
    } catch (Undecodable e) {
      throw Refused.badRequest(cause(e));
    }
  }

  /** Reads a configuration to apply: YAML, which JSON is, too. */
  public static ObjectNode configuration(Call call, WriteParameters options) throws Refused {
    var body = call.request().body();
    try {
      var document = configuration(body);
      if (!document.duplicates().isEmpty()) {
        switch (options.fieldValidation()) {
          case IGNORE -> {}
          case WARN -> call.warn(warnings(document.duplicates()));
          case STRICT ->
              throw Refused.badRequest(
                  "error strict decoding YAML: error converting YAML to JSON: "
                      + String.join(", ", document.duplicates()));
        }
      }
      return document.tree();
    } catch (Undecodable e) {
      throw Refused.badRequest("error decoding YAML: " + cause(e));
    } catch (YamlBody.NoMap e) {
      throw Refused.badRequest(
          ("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot"
                  + " unmarshal %s into Go value of type map[string]interface {}")
              .formatted(e.found()));
    } catch (YamlBody.BadYaml e) {
      throw Refused.badRequest(
          "error decoding YAML: error converting YAML to JSON: " + e.getMessage());
    }
  }

  private static Document configuration(byte[] body) throws Undecodable, YamlBody.BadYaml {
    if (!isJson(body)) {
      return YamlBody.read(body);
    }
    try {
      return Document.parse(body);
    } catch (Undecodable e) {
      try {
        return YamlBody.readFlow(body); // YAML takes more than JSON, such as a last comma
      } catch (YamlBody.BadYaml _) {
        throw e;
      }
    }
  }

  private static boolean isJson(byte[] body) {
    return body.length > 0 && body[0] == '{';
  }

  private static Document parse(Request request, GroupVersionKind kind) throws Refused {
    var document = parsed(request, kind);
    var problem = typeProblem(document.tree());
    if (problem != null) {
      throw Refused.badRequest(
          Decoder.unrecognized(kind, new Undecodable(problem), request.body()));
    }
    return document;
  }

  /** What keeps anybody from telling the kind; null when it is fine, or not said. */
  private static @Nullable String typeProblem(ObjectNode tree) {
    for (var field : List.of("apiVersion", "kind")) {
      var value = tree.path(field);
      if (!value.isMissingNode() && !value.isNull() && !value.isTextual()) {
        return "couldn't get version/kind; "
            + PARSE_ERROR
            + "json: cannot unmarshal %s into Go struct field .%s of type string"
                .formatted(Decoder.jsonType(value), field);
      }
    }
    var version = tree.path("apiVersion").asText("");
    boolean odd = version.indexOf('/') != version.lastIndexOf('/');
    return odd ? "unexpected GroupVersion string: " + version : null;
  }

  private static Document parsed(Request request, GroupVersionKind kind) throws Refused {
    switch (mediaType(request)) {
      case "", "application/json" -> {
        try {
          return Document.parse(request.body());
        } catch (Undecodable e) {
          throw Refused.badRequest(Decoder.unrecognized(kind, e, request.body()));
        }
      }
      case "application/yaml" -> {
        try {
          return YamlBody.read(request.body());
        } catch (YamlBody.NoMap e) {
          throw Refused.badRequest(
              ("the object provided is unrecognized (must be of type %s): couldn't get"
                      + " version/kind; json parse error: json: cannot unmarshal %s into Go value"
                      + " of type struct { APIVersion string; Kind string }")
                  .formatted(kind.kind(), e.found()));
        } catch (YamlBody.BadYaml e) {
          throw Refused.badRequest(
              Decoder.unrecognized(
                  kind, new Undecodable(String.valueOf(e.getMessage())), request.body()));
        }
      }
      case "application/vnd.kubernetes.protobuf" -> {
        if (!ProtobufCodec.knows(kind)) {
          throw new Refused(unsupported(UNKNOWN_FORMAT, null));
        }
        try {
          return ProtobufCodec.read(request.body(), kind);
        } catch (Undecodable e) {
          throw Refused.badRequest(text(e));
        }
      }
      default ->
          throw new Refused(
              unsupported(UNKNOWN_FORMAT + ", application/vnd.kubernetes.protobuf", null));
    }
  }

  public static Status unsupported(String message, Status.@Nullable Details details) {
    return new Status(415, Status.Reason.UNSUPPORTED_MEDIA_TYPE, message, details);
  }

  public static String mediaType(Request request) {
    var header = request.headers().first("content-type").orElse("");
    int end = header.indexOf(';');
    return (end < 0 ? header : header.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  private static Refused badPatch(String patched, String problem) {
    var text = "Invalid value: " + GoText.quote(patched) + ": " + problem;
    var cause = new Status.Cause("FieldValueInvalid", text, "patch");
    return new Refused(Status.invalid("", "", "", "patch: " + text, List.of(cause)));
  }

  private static String text(Undecodable e) {
    return String.valueOf(e.getMessage());
  }

  /** What is wrong, without the words about the whole object in front. */
  private static String withoutLead(String message) {
    int handled = message.indexOf(HANDLED);
    int end = handled < 0 ? -1 : message.indexOf(": ", handled);
    return end < 0 ? message : message.substring(end + 2);
  }

  public static String cause(Undecodable e) {
    var message = text(e);
    int at = message.indexOf(PARSE_ERROR);
    return at < 0 ? message : message.substring(at + PARSE_ERROR.length());
  }
}
