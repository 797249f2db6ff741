package dev.regroup.server.discovery;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.structural.SchemaDefinitions;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.Catalog.GroupVersion;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Verb;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * OpenAPI v3, one document per group version, made from the schema when first asked for. {@code
 * kubectl} reads from it that a write takes {@code fieldValidation}, so that checking is left to
 * the server, and the fields that {@code explain} shows.
 */
public final class OpenApi {
  private static final String SCHEMAS = "#/components/schemas/";
  private static final String METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
  private static final Map<String, String> METHODS =
      Map.of("create", "post", "update", "put", "patch", "patch", "delete", "delete");

  /** What these fields are wherever they occur. */
  private static final Map<String, String> COMMON =
      Map.of(
          "apiVersion", "APIVersion defines the version of the kind's schema.",
          "kind", "Kind says what this is.",
          "metadata",
              "Standard object's metadata: name, namespace, labels and what else every object"
                  + " has.");

  private final Catalog catalog;
  private final Schema schema;
  private final Descriptions descriptions = Descriptions.read();
  private final Map<GroupVersion, byte[]> documents = new ConcurrentHashMap<>();
  private final Map<OldForm, byte[]> oldDocuments = new ConcurrentHashMap<>();

  /** How {@code /openapi/v2} is written. */
  public enum OldForm {
    JSON("application/json"),
    PROTOBUF(SwaggerProtobuf.ANSWERED);

    private final String contentType;

    OldForm(String contentType) {
      this.contentType = contentType;
    }

    public String contentType() {
      return contentType;
    }

    /** The first of the forms a client accepts that is known; without a wish, JSON. */
    public static Optional<OldForm> accepted(List<String> headers) {
      if (headers.isEmpty()) {
        return Optional.of(JSON);
      }
      for (var one : String.join(",", headers).split(",", -1)) {
        switch (one.split(";", 2)[0].strip()) {
          case SwaggerProtobuf.ASKED, SwaggerProtobuf.ANSWERED -> {
            return Optional.of(PROTOBUF);
          }
          case "application/json", "application/*", "*/*" -> {
            return Optional.of(JSON);
          }
          default -> {} // the next one
        }
      }
      return Optional.empty();
    }
  }

  public OpenApi(Catalog catalog, Schema schema) {
    this.catalog = catalog;
    this.schema = schema;
  }

  /** {@code /openapi/v2}: everything in one document of the older form. */
  public byte[] old(OldForm form) {
    return oldDocuments.computeIfAbsent(form, this::buildOld);
  }

  private byte[] buildOld(OldForm form) {
    var document = SwaggerForm.of(catalog.groupVersions().stream().map(this::build).toList());
    return switch (form) {
      case JSON -> Wire.write(document);
      case PROTOBUF -> SwaggerProtobuf.of(document);
    };
  }

  /** {@code /openapi/v3}: where the documents are; the hash lets clients keep them. */
  public ObjectNode index() {
    var json = Wire.object();
    var paths = json.putObject("paths");
    for (var one : catalog.groupVersions()) {
      var path = path(one);
      var document = document(one);
      var hash =
          document.map(bytes -> "%08X".formatted(java.util.Arrays.hashCode(bytes))).orElse("0");
      paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash);
    }
    return json;
  }

  /** {@code /openapi/v3/<path>}, path as in the index. */
  public Optional<byte[]> document(String path) {
    return catalog.groupVersions().stream()
        .filter(one -> path(one).equals(path))
        .findFirst()
        .flatMap(this::document);
  }

  private Optional<byte[]> document(GroupVersion groupVersion) {
    return Optional.of(documents.computeIfAbsent(groupVersion, one -> Wire.write(build(one))));
  }

  private static String path(GroupVersion one) {
    return one.group().isEmpty() ? "api/" + one.version() : "apis/" + one.text();
  }

  private ObjectNode build(GroupVersion groupVersion) {
    var json = Wire.object();
    json.put("openapi", "3.0.0");
    json.putObject("info").put("title", "Regroup").put("version", Version.GIT_VERSION);
    var paths = json.putObject("paths");
    var needed = new ArrayDeque<String>();
    for (var type : catalog.of(groupVersion)) {
      addPaths(paths, type);
      name(type.kind()).ifPresent(needed::add);
      name(listKind(type)).ifPresent(needed::add);
      type.subresources().forEach(part -> name(part.kind()).ifPresent(needed::add));
    }
    name(new GroupVersionKind("", "v1", "DeleteOptions")).ifPresent(needed::add);
    name(new GroupVersionKind("", "v1", "Status")).ifPresent(needed::add);
    var schemas = json.putObject("components").putObject("schemas");
    addSchemas(schemas, needed);
    return json;
  }

  private void addPaths(ObjectNode paths, ResourceType type) {
    var base = "/" + path(new GroupVersion(type.kind().group(), type.kind().version()));
    var plural = type.names().plural();
    var collection = base + (type.namespaced() ? "/namespaces/{namespace}/" : "/") + plural;
    if (type.verbs().contains(Verb.LIST)) {
      addOperation(paths, collection, "get", "list", type.kind());
    }
    if (type.verbs().contains(Verb.CREATE)) {
      addOperation(paths, collection, "post", "post", type.kind());
    }
    if (type.namespaced() && type.verbs().contains(Verb.LIST)) {
      addOperation(paths, base + "/" + plural, "get", "list", type.kind());
    }
    var one = collection + "/{name}";
    for (var verb : List.of(Verb.GET, Verb.UPDATE, Verb.PATCH, Verb.DELETE)) {
      if (type.verbs().contains(verb)) {
        addOperation(paths, one, method(verb), action(verb), type.kind());
      }
    }
    for (var part : type.subresources()) {
      for (var verb : part.verbs()) {
        addOperation(paths, one + "/" + part.name(), method(verb), action(verb), part.kind());
      }
    }
  }

  private static String method(Verb verb) {
    return METHODS.getOrDefault(verb.wireName(), "get");
  }

  private static String action(Verb verb) {
    return switch (verb) {
      case CREATE -> "post";
      case UPDATE -> "put";
      case GET, LIST, WATCH, PATCH, DELETE, DELETECOLLECTION, OTHER -> verb.wireName();
    };
  }

  private void addOperation(
      ObjectNode paths, String path, String method, String action, GroupVersionKind kind) {
    var item = paths.get(path) instanceof ObjectNode there ? there : paths.putObject(path);
    var operation = item.putObject(method);
    boolean writes = !method.equals("get");
    if (writes) {
      var parameters = operation.putArray("parameters");
      for (var name : List.of("dryRun", "fieldManager", "fieldValidation")) {
        parameters
            .addObject()
            .put("name", name)
            .put("in", "query")
            .putObject("schema")
            .put("type", "string")
            .put("uniqueItems", true);
      }
    }
    operation.putObject("responses").putObject("200").put("description", "OK");
    operation.put("x-kubernetes-action", action);
    fillKind(operation.putObject("x-kubernetes-group-version-kind"), kind);
  }

  /** All definitions reachable from these names. */
  private void addSchemas(ObjectNode schemas, Deque<String> needed) {
    var done = new TreeSet<String>();
    Map<String, ObjectNode> built = new HashMap<>();
    while (!needed.isEmpty()) {
      var name = needed.pop();
      if (done.add(name) && schema.has(name)) {
        built.put(name, definition(schema.definition(name), needed));
      }
    }
    done.stream().filter(built::containsKey).forEach(name -> schemas.set(name, built.get(name)));
  }

  private ObjectNode definition(Definition definition, Deque<String> needed) {
    if (definition.json().get(SchemaDefinitions.PUBLISHED) instanceof ObjectNode given) {
      needed.add(METADATA);
      return described(given);
    }
    var json = Wire.object();
    descriptions.of(definition.name()).ifPresent(text -> json.put("description", text));
    putText(json, "type", definition.type());
    putText(json, "format", definition.format());
    if (!definition.required().isEmpty()) {
      var required = json.putArray("required");
      definition.required().forEach(required::add);
    }
    if (definition.isStruct() && !definition.fields().isEmpty()) {
      var properties = json.putObject("properties");
      definition
          .fields()
          .forEach((name, field) -> {
            var property = property(field, needed);
            descriptions
                .of(definition.name(), name)
                .or(() -> Optional.ofNullable(COMMON.get(name)))
                .ifPresent(text -> property.put("description", text));
            properties.set(name, property);
          });
    }
    if (definition.atomic()) {
      json.put("x-kubernetes-map-type", "atomic");
    }
    if (!definition.kinds().isEmpty()) {
      var kinds = json.putArray("x-kubernetes-group-version-kind");
      definition.kinds().forEach(kind -> fillKind(kinds.addObject(), kind));
    }
    return json;
  }

  /** A schema as its definition gave it, with words for the fields that every object has. */
  private static ObjectNode described(ObjectNode given) {
    var json = given.deepCopy();
    COMMON.forEach((name, text) -> {
      if (json.path("properties").get(name) instanceof ObjectNode property
          && !property.has("description")) {
        property.put("description", text);
      }
    });
    return json;
  }

  private static ObjectNode property(Field field, Deque<String> needed) {
    var json = Wire.object();
    if (field.ref() != null) {
      needed.add(field.ref());
      json.putArray("allOf").addObject().put("$ref", SCHEMAS + field.ref());
    }
    putText(json, "type", field.type());
    putText(json, "format", field.format());
    if (field.items() != null) {
      json.set("items", property(field.items(), needed));
    }
    if (field.values() != null) {
      json.set("additionalProperties", property(field.values(), needed));
    }
    field.fallback().ifPresent(value -> json.set("default", value));
    if (!field.allowed().isEmpty()) {
      var allowed = json.putArray("enum");
      field.allowed().forEach(allowed::add);
    }
    addMergeRules(json, field);
    return json;
  }

  private static void addMergeRules(ObjectNode json, Field field) {
    switch (field.listType()) {
      case UNSET -> {}
      case ATOMIC -> json.put("x-kubernetes-list-type", "atomic");
      case SET -> json.put("x-kubernetes-list-type", "set");
      case MAP -> json.put("x-kubernetes-list-type", "map");
    }
    if (!field.listMapKeys().isEmpty()) {
      var keys = json.putArray("x-kubernetes-list-map-keys");
      field.listMapKeys().forEach(keys::add);
    }
    if (field.atomicMap()) {
      json.put("x-kubernetes-map-type", "atomic");
    }
    if (!field.patchStrategy().isEmpty()) {
      json.put("x-kubernetes-patch-strategy", String.join(",", field.patchStrategy()));
    }
    putText(json, "x-kubernetes-patch-merge-key", field.patchMergeKey());
  }

  private Optional<String> name(GroupVersionKind kind) {
    return schema.kind(kind).map(Definition::name);
  }

  private static GroupVersionKind listKind(ResourceType type) {
    var kind = type.kind();
    return new GroupVersionKind(kind.group(), kind.version(), type.names().listKind());
  }

  private static void fillKind(ObjectNode json, GroupVersionKind kind) {
    json.put("group", kind.group()).put("kind", kind.kind()).put("version", kind.version());
  }

  private static void putText(ObjectNode json, String field, @Nullable String value) {
    if (value != null) {
      json.put(field, value);
    }
  }
}
