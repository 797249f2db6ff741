package dev.regroup.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.Identity;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import dev.regroup.server.wire.Refused;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;

/**
 * What exists before anybody asks: the namespaces and priority classes every cluster has, and the
 * definition of JobSet, which clients look for before they use the kind.
 */
final class SystemObjects {
  private static final List<String> NAMESPACES =
      List.of("default", "kube-system", "kube-public", "kube-node-lease");
  private static final List<PriorityClass> PRIORITY_CLASSES =
      List.of(
          new PriorityClass(
              "system-cluster-critical",
              2_000_000_000,
              "Used for system critical pods that must run in the cluster, but can be moved to"
                  + " another node if necessary."),
          new PriorityClass(
              "system-node-critical",
              2_000_001_000,
              "Used for system critical pods that must not be moved from their current node."));

  /** This program itself, as kube-apiserver calls itself. */
  static final Identity SELF =
      Identity.of("system:apiserver", Identity.MASTERS, Identity.AUTHENTICATED);

  private static final Credentials VOUCHED = Credentials.vouchedFor(SELF);

  private record PriorityClass(String name, int value, String description) {}

  private final Exchange exchange;
  private final ObjectStore objects;
  private final Catalog catalog;
  private final InstantSource clock;

  SystemObjects(Exchange exchange, ObjectStore objects, Catalog catalog, InstantSource clock) {
    this.exchange = exchange;
    this.objects = objects;
    this.catalog = catalog;
    this.clock = clock;
  }

  void ensure() throws IOException, InterruptedException {
    for (var name : NAMESPACES) {
      var namespace = Wire.object();
      namespace.put("apiVersion", "v1").put("kind", "Namespace");
      namespace.putObject("metadata").put("name", name);
      create("/api/v1/namespaces", name, namespace);
    }
    for (var one : PRIORITY_CLASSES) {
      var priority = Wire.object();
      priority.put("apiVersion", "scheduling.k8s.io/v1").put("kind", "PriorityClass");
      priority.putObject("metadata").put("name", one.name());
      priority.put("value", one.value()).put("description", one.description());
      create("/apis/scheduling.k8s.io/v1/priorityclasses", one.name(), priority);
    }
    for (var type : catalog.all()) {
      if (type.has(ResourceType.Trait.CUSTOM)) {
        define(type);
      }
    }
  }

  private void create(String path, String name, ObjectNode object)
      throws IOException, InterruptedException {
    var here = exchange.handle(VOUCHED, Request.get(path + "/" + name, ""));
    if (here instanceof Answer.Whole(Response there) && there.ok()) {
      return;
    }
    var request = Request.of("POST", path, "application/json", Wire.write(object));
    if (exchange.handle(VOUCHED, request) instanceof Answer.Whole(Response answer)
        && !answer.ok()) {
      var problem = new String(answer.body(), StandardCharsets.UTF_8);
      throw new IOException(path + "/" + name + " could not be made: " + problem);
    }
  }

  /** Definitions can only be read, so they do not come through the front door. */
  private void define(ResourceType type) throws IOException, InterruptedException {
    var definitions =
        catalog.find("apiextensions.k8s.io", "v1", "customresourcedefinitions").orElseThrow();
    var name = type.groupResource().toString();
    if (objects.find(definitions, "", name).isPresent()) {
      return;
    }
    try {
      objects.create(definitions, "", definition(type, name));
    } catch (Refused e) {
      throw new IOException("the definition of " + name + " could not be stored", e);
    }
  }

  private ObjectNode definition(ResourceType type, String name) {
    var now = Meta.stamp(clock.instant());
    var names = Wire.object();
    names
        .put("plural", type.names().plural())
        .put("singular", type.names().singular())
        .put("kind", type.kind().kind())
        .put("listKind", type.kind().kind() + "List");
    var definition = Wire.object();
    definition
        .putObject("metadata")
        .put("name", name)
        .put("uid", UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString())
        .put("generation", 1)
        .put("creationTimestamp", now);
    var spec = definition.putObject("spec");
    spec.put("group", type.kind().group());
    spec.set("names", names);
    spec.put("scope", type.namespaced() ? "Namespaced" : "Cluster");
    var version = spec.putArray("versions").addObject();
    version.put("name", type.kind().version()).put("served", true).put("storage", true);
    version
        .putObject("schema")
        .putObject("openAPIV3Schema")
        .put("type", "object")
        .put("x-kubernetes-preserve-unknown-fields", true);
    version.putObject("subresources").putObject("status");
    var status = definition.putObject("status");
    status.set("acceptedNames", names.deepCopy());
    status.putArray("storedVersions").add(type.kind().version());
    var conditions = status.putArray("conditions");
    addCondition(conditions.addObject(), "NamesAccepted", "NoConflicts", "no conflicts found", now);
    addCondition(
        conditions.addObject(),
        "Established",
        "InitialNamesAccepted",
        "the initial names have been accepted",
        now);
    return definition;
  }

  private static void addCondition(
      ObjectNode condition, String type, String reason, String message, String now) {
    condition
        .put("type", type)
        .put("status", "True")
        .put("lastTransitionTime", now)
        .put("reason", reason)
        .put("message", message);
  }
}
