package dev.regroup.api.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Turns the tree of a request into an object of one kind: wrong types are refused with Kubernetes'
 * texts, fields the kind does not have are dropped and named. Draft spellings are fields of a
 * lenient schema; admission folds them into the canonical form.
 *
 * <p>Safe for use by many threads.
 */
public final class Decoder {

  /**
   * What came out.
   *
   * @param object only known fields, no nulls
   * @param problems {@code unknown field "spec.foo"}, {@code duplicate field "data.a"}: under Warn
   *     each is a Warning header, under Strict {@link #strictError} is the answer
   */
  public record Decoded(ObjectNode object, List<String> problems) {
    public Decoded {
      problems = List.copyOf(problems);
    }
  }

  private static final int SUMMARY = 30;
  private static final GroupVersionKind METADATA = new GroupVersionKind("", "v1", "ObjectMeta");
  private static final String OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

  private final Schema schema;

  public Decoder(Schema schema) {
    this.schema = schema;
  }

  /** Brings a tree into the form of the kind. The document's tree may be changed. */
  public Decoded decode(Document document, GroupVersionKind kind) throws Undecodable {
    ObjectNode tree = document.tree();
    checkKind(tree, kind);
    Definition definition =
        schema
            .kind(kind)
            .orElseThrow(() -> new Undecodable("no kind " + kind.kind() + " is registered"));
    var problems = new ArrayList<String>();
    try {
      if (Conformer.isCustom(kind)) { // nobody else looks at the types in there
        metadata(tree).forEach(name -> problems.add("unknown field \"metadata." + name + "\""));
      }
      new Conformer(schema, kind, problems).conform(tree, definition);
      if (Conformer.isCustom(kind)) {
        asStored(tree);
      }
    } catch (Undecodable e) {
      throw new Undecodable(handled(kind.kind(), kind.version(), kind) + e.getMessage());
    }
    tree.put("apiVersion", kind.apiVersion());
    tree.put("kind", kind.kind());
    return new Decoded(tree, document.inOrder(problems));
  }

  /**
   * Fractions become what a stored one is read as, whatever road they came: equal ones are equal.
   */
  private static void asStored(JsonNode node) {
    switch (node) {
      case ObjectNode object -> {
        for (var field : object.properties()) {
          if (field.getValue() instanceof DecimalNode fraction) {
            field.setValue(DoubleNode.valueOf(fraction.doubleValue()));
          } else {
            asStored(field.getValue());
          }
        }
      }
      case ArrayNode array -> {
        for (int i = 0; i < array.size(); i++) {
          if (array.get(i) instanceof DecimalNode fraction) {
            array.set(i, DoubleNode.valueOf(fraction.doubleValue()));
          } else {
            asStored(array.get(i));
          }
        }
      }
      default -> {}
    }
  }

  /**
   * Brings only the metadata of an object into form: the rest of custom kinds is judged by their
   * own schemas.
   *
   * @return the names of fields that no metadata has; they are dropped
   */
  public List<String> metadata(ObjectNode object) throws Undecodable {
    var problems = new ArrayList<String>();
    switch (object.get("metadata")) {
      case null -> {}
      case NullNode _ -> object.remove("metadata");
      case ObjectNode metadata ->
          new Conformer(schema, METADATA, problems)
              .conform(metadata, schema.definition(OBJECT_META));
      case JsonNode other ->
          throw new Undecodable(
              "json: cannot unmarshal %s into Go value of type v1.ObjectMeta"
                  .formatted(jsonType(other)));
    }
    return problems.stream()
        .map(problem -> problem.substring(problem.indexOf('"') + 1, problem.length() - 1))
        .toList();
  }

  /** The 400 message under {@code fieldValidation=Strict}. */
  public static String strictError(GroupVersionKind kind, List<String> problems) {
    return handled(kind.kind(), kind.version(), kind)
        + "strict decoding error: "
        + String.join(", ", problems);
  }

  /** The 400 message for a body that {@link Document#parse} refused. */
  public static String unrecognized(GroupVersionKind kind, Undecodable why, byte[] body) {
    return "the object provided is unrecognized (must be of type %s): %s (%s)"
        .formatted(kind.kind(), why.getMessage(), summary(body));
  }

  private void checkKind(ObjectNode tree, GroupVersionKind expected) throws Undecodable {
    String apiVersion = tree.path("apiVersion").asText("");
    String kind = tree.path("kind").asText("");
    var given =
        GroupVersionKind.of(
            apiVersion.isEmpty() ? expected.apiVersion() : apiVersion,
            kind.isEmpty() ? expected.kind() : kind);
    if (given.equals(expected)) {
      return;
    }
    String prefix = handled(given.kind(), given.version(), expected);
    boolean many = given.kind().equals("List") && given.apiVersion().equals("v1"); // of any kind
    if (many || schema.kind(given).isPresent()) {
      throw new Undecodable(
          prefix
              + "converting (v1.%s) to (core.%s): unknown conversion"
                  .formatted(given.kind(), expected.kind()));
    }
    throw new Undecodable(
        prefix
            + "no kind \"%s\" is registered for version \"%s\" in scheme \"api\""
                .formatted(given.kind(), given.apiVersion()));
  }

  /** How the 400 message begins when the body's kind is known. */
  public static String handled(String kind, String version, GroupVersionKind expected) {
    return "%s in version \"%s\" cannot be handled as a %s: "
        .formatted(kind, version, expected.kind());
  }

  private static String summary(byte[] body) {
    if (body.length == 0) {
      return "<empty>";
    }
    int length = Math.min(body.length, SUMMARY);
    String more = body.length > SUMMARY ? " ..." : "";
    return body[0] == '{'
        ? new String(body, 0, length, UTF_8) + more
        : HexFormat.of().formatHex(body, 0, length) + more;
  }

  /** The name Go's decoder has for a JSON type. */
  public static String jsonType(JsonNode node) {
    return switch (node.getNodeType()) {
      case ARRAY -> "array";
      case BOOLEAN -> "bool";
      case NUMBER -> "number";
      case OBJECT, POJO -> "object";
      case STRING, BINARY -> "string";
      case NULL, MISSING -> "null";
    };
  }
}
