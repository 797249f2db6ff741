package dev.regroup.api.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.Schema;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Types of the schema as a definition of a custom kind writes them: every type it refers to is
 * written out where it is used. Values that Kubernetes' own types allow are left to Kubernetes; of
 * their defaults only those of list keys are kept, because without them a list has no keys.
 */
final class StructuralFields {

  private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
  private static final String INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
  private static final String QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
  private static final String OWN = "io.x-k8s.jobset.v1alpha2.";

  /** What an object within an object may say about itself. */
  private static final List<String> EMBEDDED =
      List.of("name", "namespace", "labels", "annotations", "finalizers");

  private final Schema schema;

  StructuralFields(Schema schema) {
    this.schema = schema;
  }

  ObjectNode struct(String name) {
    Definition definition = schema.definition(name);
    return struct(definition, Set.of());
  }

  /**
   * @param keys fields by which items of a list are told apart
   */
  private ObjectNode struct(Definition definition, Set<String> keys) {
    var object = Wire.object().put("type", "object");
    if (definition.name().equals(META)) {
      var fields = object.putObject("properties");
      EMBEDDED.forEach(
          name -> definition.field(name).ifPresent(field -> fields.set(name, field(field, false))));
      return object;
    }
    boolean own = definition.name().startsWith(OWN);
    var fields = object.putObject("properties");
    definition
        .fields()
        .forEach((name, field) -> {
          var written = field(field, own);
          boolean keyed = keys.contains(name) && !definition.required().contains(name);
          if (own || keyed) {
            field.fallback().ifPresent(value -> written.set("default", value));
          }
          fields.set(name, written);
        });
    if (!definition.required().isEmpty()) {
      var required = object.putArray("required");
      definition.required().stream().sorted().forEach(required::add);
    }
    if (definition.atomic()) {
      object.put("x-kubernetes-map-type", "atomic");
    }
    return object;
  }

  private ObjectNode field(Field field, boolean own) {
    if (field.ref() != null) {
      return reference(field.ref(), Set.of());
    }
    var written = Wire.object();
    String type = field.type();
    if (type == null) {
      return written.put("x-kubernetes-preserve-unknown-fields", true);
    }
    written.put("type", type);
    if (field.format() != null) {
      written.put("format", field.format());
    }
    if (field.items() != null) {
      list(written, field, field.items());
    } else if (field.values() != null) {
      written.set("additionalProperties", field(field.values(), own));
    } else if (type.equals("object")) {
      written.put("x-kubernetes-preserve-unknown-fields", true);
    }
    if (field.atomicMap()) {
      written.put("x-kubernetes-map-type", "atomic");
    }
    if (own && !field.allowed().isEmpty()) {
      var allowed = written.putArray("enum");
      field.allowed().forEach(allowed::add);
    }
    if (own && field.minimum() != null) {
      written.put("minimum", field.minimum());
    }
    if (own && field.maxItems() != null) {
      written.put("maxItems", field.maxItems());
    }
    return written;
  }

  private void list(ObjectNode written, Field field, Field items) {
    var keys = Set.copyOf(field.listMapKeys());
    written.set("items", items.ref() == null ? field(items, false) : reference(items.ref(), keys));
    switch (field.listType()) {
      case UNSET -> {}
      case ATOMIC -> written.put("x-kubernetes-list-type", "atomic");
      case SET -> written.put("x-kubernetes-list-type", "set");
      case MAP -> {
        written.put("x-kubernetes-list-type", keysAreThere(items.ref(), keys) ? "map" : "atomic");
        if (keysAreThere(items.ref(), keys)) {
          var names = written.putArray("x-kubernetes-list-map-keys");
          field.listMapKeys().forEach(names::add);
        }
      }
    }
  }

  /** A key must be given or have a default. */
  private boolean keysAreThere(@Nullable String ref, Set<String> keys) {
    if (ref == null) {
      return false;
    }
    var item = schema.definition(ref);
    return keys.stream()
        .allMatch(key ->
            item.required().contains(key) || item.field(key).flatMap(Field::fallback).isPresent());
  }

  private ObjectNode reference(String name, Set<String> keys) {
    var written = Wire.object();
    if (name.equals(INT_OR_STRING) || name.equals(QUANTITY)) {
      var either = written.putArray("anyOf");
      either.addObject().put("type", "integer");
      either.addObject().put("type", "string");
      return written.put("x-kubernetes-int-or-string", true);
    }
    var definition = schema.definition(name);
    if (definition.isStruct()) {
      return struct(definition, keys);
    }
    if (definition.format() != null) {
      return written.put("type", "string").put("format", definition.format());
    }
    return written.put("type", "object").put("x-kubernetes-preserve-unknown-fields", true);
  }
}
