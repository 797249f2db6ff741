package dev.regroup.server.discovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.Catalog.GroupVersion;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.Subresource;
import dev.regroup.server.wire.Verb;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Discovery documents, in the old form (one per group version) and the aggregated one. */
public final class Discovery {
  private static final Set<String> PAGES =
      Set.of(
          "/.well-known/openid-configuration",
          "/apis",
          "/healthz",
          "/livez",
          "/metrics",
          "/openapi/v2",
          "/openapi/v3",
          "/openid/v1/jwks",
          "/readyz",
          "/version");

  private final Catalog catalog;

  public Discovery(Catalog catalog) {
    this.catalog = catalog;
  }

  /** {@code /}: where else to look. */
  public ObjectNode paths() {
    var all = new TreeSet<>(PAGES);
    for (var one : catalog.groupVersions()) {
      var group = one.group().isEmpty() ? "/api" : "/apis/" + one.group();
      all.add(group);
      all.add(group + "/" + one.version());
    }
    var json = Wire.object();
    all.forEach(json.putArray("paths")::add);
    return json;
  }

  /** {@code /api}. */
  public ObjectNode coreVersions(String address) {
    var json = Wire.object();
    json.put("kind", "APIVersions");
    json.putArray("versions").add("v1");
    json.putArray("serverAddressByClientCIDRs")
        .addObject()
        .put("clientCIDR", "0.0.0.0/0")
        .put("serverAddress", address);
    return json;
  }

  /** {@code /apis}. */
  public ObjectNode groups() {
    var json = Wire.object();
    json.put("kind", "APIGroupList").put("apiVersion", "v1");
    var groups = json.putArray("groups");
    catalog.groups().stream()
        .filter(name -> !name.isEmpty())
        .forEach(name -> fillGroup(groups.addObject(), name));
    return json;
  }

  /** {@code /apis/<group>}. */
  public Optional<ObjectNode> group(String name) {
    if (!catalog.hasGroup(name)) {
      return Optional.empty();
    }
    var json = Wire.object();
    json.put("kind", "APIGroup").put("apiVersion", "v1");
    fillGroup(json, name);
    return Optional.of(json);
  }

  /** {@code /api/v1} or {@code /apis/<group>/<version>}. */
  public Optional<ObjectNode> resources(String group, String version) {
    var types = catalog.of(new GroupVersion(group, version));
    if (types.isEmpty()) {
      return Optional.empty();
    }
    var json = Wire.object();
    json.put("kind", "APIResourceList");
    if (!group.isEmpty()) {
      json.put("apiVersion", "v1");
    }
    json.put("groupVersion", new GroupVersion(group, version).text());
    var resources = json.putArray("resources");
    for (var type : sorted(types)) {
      fillResource(resources.addObject(), type);
      for (var part : type.subresources()) {
        fillSubresource(resources.addObject(), type, part);
      }
    }
    return Optional.of(json);
  }

  /** The aggregated form of {@code /api}. */
  public ObjectNode aggregatedCore() {
    return aggregated(List.of(""));
  }

  /** The aggregated form of {@code /apis}. */
  public ObjectNode aggregatedGroups() {
    return aggregated(catalog.groups().stream().filter(name -> !name.isEmpty()).toList());
  }

  private void fillGroup(ObjectNode json, String name) {
    json.put("name", name);
    var all = catalog.versions(name);
    var versions = json.putArray("versions");
    all.forEach(one -> fillVersion(versions.addObject(), one));
    fillVersion(json.putObject("preferredVersion"), all.getFirst());
  }

  private static void fillVersion(ObjectNode json, GroupVersion one) {
    json.put("groupVersion", one.text()).put("version", one.version());
  }

  private static void fillResource(ObjectNode json, ResourceType type) {
    json.put("name", type.names().plural())
        .put("singularName", type.names().singular())
        .put("namespaced", type.namespaced())
        .put("kind", type.kind().kind());
    putVerbs(json, type.verbs());
    putTexts(json, "shortNames", type.names().shortNames());
    putTexts(json, "categories", type.names().categories());
    if (type.verbs().contains(Verb.GET)) {
      json.put("storageVersionHash", storageVersionHash(type.storedKind()));
    }
  }

  /**
   * Changes when objects are stored in another version; clients compare it and nothing else.
   * Definitions are hashed in the version they were first stored in.
   */
  private static String storageVersionHash(GroupVersionKind served) {
    var stored =
        served.kind().equals("CustomResourceDefinition")
            ? new GroupVersionKind(served.group(), "v1beta1", served.kind())
            : served;
    var text = String.join("/", stored.group(), stored.version(), stored.kind());
    try {
      var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return Base64.getEncoder().encodeToString(Arrays.copyOf(hash, 8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static void fillSubresource(ObjectNode json, ResourceType type, Subresource part) {
    json.put("name", type.names().plural() + "/" + part.name())
        .put("singularName", "")
        .put("namespaced", type.namespaced());
    if (!sameGroup(part.kind(), type.kind())) {
      json.put("group", part.kind().group()).put("version", part.kind().version());
    }
    json.put("kind", part.kind().kind());
    putVerbs(json, part.verbs());
  }

  private ObjectNode aggregated(List<String> groups) {
    var json = Wire.object();
    json.put("kind", "APIGroupDiscoveryList").put("apiVersion", "apidiscovery.k8s.io/v2");
    json.putObject("metadata");
    var items = json.putArray("items");
    for (var group : groups) {
      var item = items.addObject();
      var metadata = item.putObject("metadata");
      if (!group.isEmpty()) {
        metadata.put("name", group);
      }
      var versions = item.putArray("versions");
      for (var one : catalog.versions(group)) {
        var version = versions.addObject();
        version.put("version", one.version());
        fillAggregated(version.putArray("resources"), sorted(catalog.of(one)));
        version.put("freshness", "Current");
      }
    }
    return json;
  }

  private static void fillAggregated(ArrayNode resources, List<ResourceType> types) {
    for (var type : types) {
      var json = resources.addObject();
      json.put("resource", type.names().plural());
      putKind(json, type, type.kind());
      json.put("scope", type.namespaced() ? "Namespaced" : "Cluster");
      json.put("singularResource", type.names().singular());
      putVerbs(json, type.verbs());
      putTexts(json, "shortNames", type.names().shortNames());
      putTexts(json, "categories", type.names().categories());
      if (type.subresources().isEmpty()) {
        continue;
      }
      var parts = json.putArray("subresources");
      for (var part : type.subresources()) {
        var one = parts.addObject();
        one.put("subresource", part.name());
        putKind(one, type, part.kind());
        putVerbs(one, part.verbs());
      }
    }
  }

  /** Built-in kinds leave the group of their own resource out, custom ones repeat it. */
  private static void putKind(ObjectNode json, ResourceType type, GroupVersionKind kind) {
    boolean implied = !type.has(ResourceType.Trait.CUSTOM) && sameGroup(kind, type.kind());
    json.putObject("responseKind")
        .put("group", implied ? "" : kind.group())
        .put("version", implied ? "" : kind.version())
        .put("kind", kind.kind());
  }

  private static boolean sameGroup(GroupVersionKind a, GroupVersionKind b) {
    return a.group().equals(b.group()) && a.version().equals(b.version());
  }

  private static List<ResourceType> sorted(List<ResourceType> types) {
    var sorted = new ArrayList<>(types);
    sorted.sort(Comparator.comparing(type -> type.names().plural()));
    return sorted;
  }

  private static void putVerbs(ObjectNode json, List<Verb> verbs) {
    var list = json.putArray("verbs");
    verbs.forEach(verb -> list.add(verb.wireName()));
  }

  private static void putTexts(ObjectNode json, String field, List<String> texts) {
    if (!texts.isEmpty()) {
      var list = json.putArray(field);
      texts.forEach(list::add);
    }
  }
}
