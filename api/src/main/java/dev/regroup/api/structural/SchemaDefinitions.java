package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a custom kind as definitions like those of built-in kinds: one for every place with
 * named fields, so that server-side apply knows whose is what, and one with the whole text for
 * OpenAPI.
 */
public final class SchemaDefinitions {

  /** Where the root definition keeps what OpenAPI shows of it. */
  public static final String PUBLISHED = "published";

  private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
  private static final String SCHEMAS = "#/components/schemas/";

  private final List<Definition> definitions = new ArrayList<>();

  private SchemaDefinitions() {}

  /**
   * The definitions of a kind and of its list.
   *
   * @param schema {@code openAPIV3Schema} as it was given
   */
  public static List<Definition> of(CustomKind custom, String listKind, JsonNode schema) {
    var kind = custom.kind();
    var all = new SchemaDefinitions();
    var name = name(kind, kind.kind());
    var root = Wire.object().put("type", "object");
    open(root, custom.schema());
    var fields = root.putObject("fields");
    meta(fields, "ObjectMeta");
    all.fields(fields, custom.schema(), name);
    root.set(PUBLISHED, published(schema, kind));
    all.definitions.add(Definition.of(name, List.of(kind), root));
    all.definitions.add(list(kind, listKind, name));
    return all.definitions;
  }

  /** The group backwards, as names of packages are. */
  private static String name(GroupVersionKind kind, String last) {
    var parts = new ArrayList<>(List.of(kind.group().split("\\.", -1)));
    return String.join(".", parts.reversed()) + "." + kind.version() + "." + last;
  }

  private static void meta(ObjectNode fields, String metadata) {
    fields.putObject("apiVersion").put("type", "string");
    fields.putObject("kind").put("type", "string");
    fields.putObject("metadata").put("ref", META + metadata);
  }

  private static Definition list(GroupVersionKind kind, String listKind, String item) {
    var json = Wire.object().put("type", "object");
    json.putArray("required").add("items");
    var fields = json.putObject("fields");
    meta(fields, "ListMeta");
    fields.putObject("items").put("type", "array").putObject("items").put("ref", item);
    return Definition.of(
        name(kind, listKind),
        List.of(new GroupVersionKind(kind.group(), kind.version(), listKind)),
        json);
  }

  private static ObjectNode published(JsonNode schema, GroupVersionKind kind) {
    ObjectNode shown = schema instanceof ObjectNode given ? given.deepCopy() : Wire.object();
    var properties = shown.withObject("/properties");
    for (String field : List.of("apiVersion", "kind")) {
      properties.withObject("/" + field).put("type", "string");
    }
    properties
        .putObject("metadata")
        .putArray("allOf")
        .addObject()
        .put("$ref", SCHEMAS + META + "ObjectMeta");
    shown
        .putArray("x-kubernetes-group-version-kind")
        .addObject()
        .put("group", kind.group())
        .put("kind", kind.kind())
        .put("version", kind.version());
    return shown;
  }

  private void fields(ObjectNode fields, Structural schema, String name) {
    schema
        .properties()
        .forEach((key, below) -> {
          if (!fields.has(key)) {
            fields.set(key, field(below, name + "." + key));
          }
        });
  }

  private ObjectNode field(Structural schema, String name) {
    var field = Wire.object();
    var fallback = schema.fallback();
    if (fallback != null) {
      field.set("default", fallback);
    }
    if (schema.extensions().intOrString()) {
      return field;
    }
    if (schema.extensions().mapType().equals("atomic")) {
      field.put("mapType", "atomic");
    }
    var others = schema.below().others();
    var items = schema.items();
    if (schema.extensions().embedded() || !schema.properties().isEmpty()) {
      return field.put("ref", structure(schema, name));
    }
    putType(field, schema.type());
    if (others != null && others.schema() != null) {
      field.set("values", field(others.schema(), name + ".values"));
    }
    if (items != null) {
      field.set("items", field(items, name + ".items"));
      list(field, schema.extensions());
    }
    return field;
  }

  private static void putType(ObjectNode field, @Nullable String type) {
    if (type != null && !type.isEmpty()) {
      field.put("type", type);
    }
  }

  private static void list(ObjectNode field, Structural.Extensions extensions) {
    if (!extensions.listType().isEmpty()) {
      field.put("listType", extensions.listType());
    }
    if (!extensions.listKeys().isEmpty()) {
      var keys = field.putArray("listMapKeys");
      extensions.listKeys().forEach(keys::add);
    }
  }

  private static void open(ObjectNode definition, Structural schema) {
    if (schema.extensions().preserving()) {
      definition.put("open", true);
    }
  }

  private String structure(Structural schema, String name) {
    var json = Wire.object().put("type", "object");
    if (schema.extensions().mapType().equals("atomic")) {
      json.put("mapType", "atomic");
    }
    open(json, schema);
    var fields = json.putObject("fields");
    if (schema.extensions().embedded()) {
      meta(fields, "ObjectMeta");
    }
    fields(fields, schema, name);
    definitions.add(Definition.of(name, List.of(), json));
    return name;
  }
}
