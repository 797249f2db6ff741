package dev.regroup.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.structural.CustomKind;
import dev.regroup.api.structural.SchemaDefinitions;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.resource.Act;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.Subresource;
import dev.regroup.server.resource.VersionOrder;
import dev.regroup.server.select.SelectableFields;
import dev.regroup.server.table.CustomTable;
import dev.regroup.server.wire.GroupResource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A definition as types to serve: one for each of its versions. */
final class DefinedTypes {
  private static final GroupVersionKind SCALE = new GroupVersionKind("autoscaling", "v1", "Scale");

  private final ObjectNode definition;
  private final JsonNode spec;
  private final JsonNode names;

  private DefinedTypes(ObjectNode definition) {
    this.definition = definition;
    this.spec = definition.path("spec");
    this.names = definition.path("status").path("acceptedNames");
  }

  /** The versions that are served, with the definitions of their fields. */
  static Map<ResourceType, List<Definition>> of(ObjectNode definition) {
    var types = new DefinedTypes(definition);
    var all = new LinkedHashMap<ResourceType, List<Definition>>();
    for (ObjectNode version : Trees.objects(types.spec, "versions")) {
      if (Trees.isTrue(version, "served")) {
        var type = types.type(version);
        all.put(
            type,
            SchemaDefinitions.of(
                type.custom().orElseThrow(),
                type.names().listKind(),
                Trees.at(version, "schema", "openAPIV3Schema")));
      }
    }
    return all;
  }

  /** The type that objects are stored as, whether it is served or not. */
  static ResourceType stored(ObjectNode definition) {
    var types = new DefinedTypes(definition);
    return types.type(types.storedVersion());
  }

  private ObjectNode storedVersion() {
    return Trees.objects(spec, "versions").stream()
        .filter(version -> Trees.isTrue(version, "storage"))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no version is stored"));
  }

  private ResourceType type(ObjectNode version) {
    var kind = kind(version);
    var custom = CustomKind.of(kind, version);
    boolean going = Meta.deleted(definition);
    var type =
        ResourceType.named(kind, Trees.text(names, "plural"))
            .called(Trees.text(names, "singular"), Trees.text(names, "listKind"))
            .custom(custom)
            .customVerbs()
            .converted(
                new StoredVersion(
                    custom,
                    CustomKind.of(kind(storedVersion()), storedVersion()),
                    definition.path("metadata").path("generation").asLong() == 1))
            .strategy(
                new CustomStrategy(
                    new GroupResource(kind.group(), Trees.text(names, "plural")),
                    warnings(version),
                    going))
            .selectable(selectable(version))
            .table(new CustomTable(columns(version)));
    if (Trees.text(spec, "scope").equals("Cluster")) {
      type.cluster();
    }
    Trees.texts(names, "shortNames").forEach(type::shortName);
    Trees.texts(names, "categories").forEach(type::category);
    if (custom.hasStatus()) {
      type.status();
    }
    if (custom.scale() != null) {
      type.subresource("scale", SCALE, Subresource.READ_WRITE, Act.SCALE);
    }
    return type.build();
  }

  private GroupVersionKind kind(JsonNode version) {
    return new GroupVersionKind(
        Trees.text(spec, "group"), Trees.text(version, "name"), Trees.text(names, "kind"));
  }

  private List<String> warnings(ObjectNode version) {
    if (!Trees.isTrue(version, "deprecated")) {
      return List.of();
    }
    if (version.has("deprecationWarning")) {
      return List.of(Trees.text(version, "deprecationWarning"));
    }
    var name = Trees.text(version, "name");
    var better =
        Trees.objects(spec, "versions").stream()
            .filter(one -> Trees.isTrue(one, "served") && !Trees.isTrue(one, "deprecated"))
            .map(one -> Trees.text(one, "name"))
            .filter(one -> VersionOrder.BEST_FIRST.compare(one, name) < 0)
            .min(VersionOrder.BEST_FIRST);
    return List.of(
        text(name) + " is deprecated" + better.map(one -> "; use " + text(one)).orElse(""));
  }

  private String text(String version) {
    return "%s/%s %s".formatted(Trees.text(spec, "group"), version, Trees.text(names, "kind"));
  }

  private static SelectableFields selectable(ObjectNode version) {
    return SelectableFields.and(
        Trees.objects(version, "selectableFields").stream()
            .map(field -> Trees.text(field, "jsonPath").substring(1))
            .toArray(String[]::new));
  }

  private static List<CustomTable.Printer> columns(ObjectNode version) {
    var columns = new ArrayList<CustomTable.Printer>();
    for (ObjectNode column : Trees.objects(version, "additionalPrinterColumns")) {
      columns.add(
          new CustomTable.Printer(
              Trees.text(column, "name"),
              Trees.text(column, "type"),
              Trees.text(column, "format"),
              Trees.text(column, "description"),
              Trees.integer(column, "priority").orElse(0),
              Trees.text(column, "jsonPath")));
    }
    return columns.isEmpty() ? List.of(CustomTable.Printer.AGE) : columns;
  }
}
