package dev.regroup.server.objects;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.client.Request;
import dev.regroup.server.wire.GoText;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** Request bodies as objects of an expected kind, or Kubernetes' words about what is wrong. */
public final class Bodies {
  private static final int SUMMARY = 30;
  private static final String SCHEME =
      "\"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\"";

  private final Schema schema;
  private final Decoder decoder;

  public Bodies(Schema schema, Decoder decoder) {
    this.schema = schema;
    this.decoder = decoder;
  }

  /** Reads the object of a create or update; what its fields deserve is added to the warnings. */
  public ObjectNode object(Call call, GroupVersionKind expected, WriteOptions options)
      throws Refused {
    var document = parse(call.request(), expected);
    var kind = checkKind(document.tree(), expected);
    try {
      var decoded = decoder.decode(document, expected);
      if (!decoded.problems().isEmpty()) {
        switch (options.fieldValidation()) {
          case IGNORE -> {}
          case WARN -> call.warn(decoded.problems());
          case STRICT ->
              throw cannotHandle(kind, expected, Decoder.strictError(decoded.problems()));
        }
      }
      call.warn(decoded.warnings());
      return decoded.object();
    } catch (Decoder.Undecodable e) {
      throw cannotHandle(kind, expected, String.valueOf(e.getMessage()));
    }
  }

  /** Brings a patched object into the form of its kind, or refuses the patch. */
  public ObjectNode patched(
      Call call, ObjectNode tree, GroupVersionKind expected, WriteOptions options)
      throws Refused {
    var shown = tree.deepCopy();
    try {
      if (!tree.path("kind").asText("").equals(expected.kind())
          || !tree.path("apiVersion").asText("").equals(expected.apiVersion())) {
        throw badPatch(shown, "the kind of an object cannot be changed");
      }
      var decoded = decoder.decode(new Decoder.Document(tree, List.of()), expected);
      if (!decoded.problems().isEmpty()) {
        switch (options.fieldValidation()) {
          case IGNORE -> {}
          case WARN -> call.warn(decoded.problems());
          case STRICT -> throw badPatch(shown, Decoder.strictError(decoded.problems()));
        }
      }
      call.warn(decoded.warnings());
      return decoded.object();
    } catch (Decoder.Undecodable e) {
      throw badPatch(shown, String.valueOf(e.getMessage()));
    }
  }

  private static Refused badPatch(ObjectNode patched, String problem) {
    var text = "Invalid value: " + GoText.quote(patched.toString()) + ": " + problem;
    var status =
        Status.invalid(
            "", "", "", "patch: " + text, List.of(new Status.Cause("FieldValueInvalid", text, "patch")));
    return new Refused(status);
  }

  private static Decoder.Document parse(Request request, GroupVersionKind expected)
      throws Refused {
    switch (mediaType(request)) {
      case "", "application/json" -> {
        if (new String(request.body(), StandardCharsets.UTF_8).strip().equals("null")) {
          return new Decoder.Document(dev.regroup.api.Wire.object(), List.of());
        }
        try {
          return Decoder.parse(request.body());
        } catch (Decoder.Undecodable e) {
          throw unrecognized(
              expected, "json parse error: " + e.getMessage(), request.body());
        }
      }
      case "application/yaml" -> {
        try {
          return YamlBody.read(request.body());
        } catch (YamlBody.BadYaml e) {
          throw unrecognized(expected, String.valueOf(e.getMessage()), request.body());
        }
      }
      case "application/vnd.kubernetes.protobuf" ->
          throw Refused.badRequest(
              "the object provided is unrecognized (must be of type "
                  + expected.kind()
                  + "): this server does not read protobuf yet (send application/json)");
      default ->
          throw new Refused(
              unsupported(
                  "the body of the request was in an unknown format - accepted media types"
                      + " include: application/json, application/yaml,"
                      + " application/vnd.kubernetes.protobuf",
                  null));
    }
  }

  static Status unsupported(
      String message, Status.@org.jspecify.annotations.Nullable Details details) {
    return new Status(415, Status.Reason.UNSUPPORTED_MEDIA_TYPE, message, details);
  }

  static String mediaType(Request request) {
    var header = request.headers().first("content-type").orElse("");
    int end = header.indexOf(';');
    return (end < 0 ? header : header.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  /** Fills in a missing kind or version, as the address says it already. */
  private GroupVersionKind checkKind(ObjectNode tree, GroupVersionKind expected)
      throws Refused {
    var kindText = tree.path("kind").asText("");
    var versionText = tree.path("apiVersion").asText("");
    var given =
        GroupVersionKind.of(
            versionText.isEmpty() ? expected.apiVersion() : versionText,
            kindText.isEmpty() ? expected.kind() : kindText);
    if (!given.equals(expected)) {
      if (schema.kind(given).isPresent()) {
        throw cannotHandle(
            given,
            expected,
            "converting (%s.%s) to (%s.%s): unknown conversion"
                .formatted(
                    given.version(),
                    given.kind(),
                    expected.group().isEmpty() ? "core" : expected.group(),
                    expected.kind()));
      }
      throw cannotHandle(
          given,
          expected,
          "no kind "
              + GoText.quote(given.kind())
              + " is registered for version "
              + GoText.quote(given.apiVersion())
              + " in scheme "
              + SCHEME);
    }
    tree.put("kind", expected.kind());
    tree.put("apiVersion", expected.apiVersion());
    return given;
  }

  private static Refused cannotHandle(
      GroupVersionKind given, GroupVersionKind expected, String problem) {
    return Refused.badRequest(
        given.kind()
            + " in version "
            + GoText.quote(given.version())
            + " cannot be handled as a "
            + expected.kind()
            + ": "
            + problem);
  }

  private static Refused unrecognized(GroupVersionKind expected, String problem, byte[] body) {
    return Refused.badRequest(
        "the object provided is unrecognized (must be of type "
            + expected.kind()
            + "): couldn't get version/kind; "
            + problem
            + " ("
            + summary(body)
            + ")");
  }

  private static String summary(byte[] body) {
    if (body.length == 0) {
      return "<empty>";
    }
    int end = Math.min(body.length, SUMMARY);
    var text =
        body[0] == '{'
            ? new String(body, 0, end, StandardCharsets.UTF_8)
            : HexFormat.of().formatHex(body, 0, end);
    return body.length > SUMMARY ? text + " ..." : text;
  }
}
