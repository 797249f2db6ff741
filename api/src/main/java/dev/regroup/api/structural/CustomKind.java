package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One version of a kind that a definition brought along: its schema, and which parts of its objects
 * have addresses of their own. The rules of the schema are compiled when the first object needs
 * them.
 */
public final class CustomKind {
  private final GroupVersionKind kind;
  private final Structural schema;
  private final boolean hasStatus;
  private final @Nullable ScalePaths scale;
  private volatile @Nullable SchemaRules rules;

  private CustomKind(
      GroupVersionKind kind, Structural schema, boolean hasStatus, @Nullable ScalePaths scale) {
    this.kind = kind;
    this.schema = schema;
    this.hasStatus = hasStatus;
    this.scale = scale;
  }

  public GroupVersionKind kind() {
    return kind;
  }

  public Structural schema() {
    return schema;
  }

  /** Whether the status is written apart from the rest. */
  public boolean hasStatus() {
    return hasStatus;
  }

  /** Where the replicas stand; null when it cannot be scaled. */
  public @Nullable ScalePaths scale() {
    return scale;
  }

  /** Compiled once; two threads may do it at the same time, which does no harm. */
  public SchemaRules rules() {
    var known = rules;
    if (known == null) {
      known = SchemaRules.ofObject(schema);
      rules = known;
    }
    return known;
  }

  /** Reads one version of a definition. */
  public static CustomKind of(GroupVersionKind kind, JsonNode version) {
    var scale = version.path("subresources").path("scale");
    return new CustomKind(
        kind,
        Structural.of(version.path("schema").path("openAPIV3Schema")),
        version.path("subresources").has("status"),
        scale.isMissingNode() ? null : ScalePaths.of(scale));
  }

  /** Reads an object of this kind: drops what the schema does not know, fills in its defaults. */
  public Decoder.Decoded read(Document document, Decoder decoder) throws Undecodable {
    var object = document.tree();
    var problems = new ArrayList<>(document.duplicates());
    try {
      for (String name : decoder.metadata(object)) {
        problems.add("unknown field \"metadata." + name + "\"");
      }
      if (isOfKind(object)) {
        for (String path : FieldPruning.ofObject(object, schema)) {
          problems.add("unknown field \"" + path + "\"");
        }
        for (String path : EmbeddedObjects.read(object, schema, decoder)) {
          problems.add("unknown field \"" + path + "\"");
        }
        FieldDefaults.fill(object, schema);
      }
    } catch (Undecodable e) {
      throw new Undecodable(
          Decoder.handled(Trees.text(object, "kind"), kind.version(), kind) + e.getMessage());
    }
    plainNumbers(object);
    return new Decoder.Decoded(object, problems);
  }

  /** Others are refused later; their fields are nobody's business. */
  private boolean isOfKind(ObjectNode object) {
    return Trees.text(object, "kind").equals(kind.kind())
        && Trees.text(object, "apiVersion").equals(kind.apiVersion());
  }

  /** An object as the schema wants it now, whatever it was when the object was stored. */
  public ObjectNode refreshed(ObjectNode stored) {
    FieldDefaults.fill(pruned(stored), schema);
    return stored;
  }

  /** An object of another version as one of this: what the schema does not know goes. */
  public ObjectNode pruned(ObjectNode other) {
    other.put("apiVersion", kind.apiVersion());
    FieldPruning.ofObject(other, schema);
    return other;
  }

  /** Go writes a number without a fraction as a whole one. */
  private static void plainNumbers(JsonNode value) {
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        field.setValue(plain(field.getValue()));
      }
    } else if (value instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        array.set(i, plain(array.path(i)));
      }
    }
  }

  private static JsonNode plain(JsonNode value) {
    if (!value.isNumber() || value.isIntegralNumber()) {
      plainNumbers(value);
      return value;
    }
    double number = value.doubleValue();
    if (!NumberLimits.isWhole(number)) {
      return value;
    }
    long whole = (long) number;
    return whole == (int) whole
        ? JsonNodeFactory.instance.numberNode((int) whole)
        : JsonNodeFactory.instance.numberNode(whole);
  }
}
