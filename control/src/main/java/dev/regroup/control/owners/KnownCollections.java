package dev.regroup.control.owners;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Codec;
import dev.regroup.client.Kinds;
import dev.regroup.client.Resource;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Informer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All collections of a cluster: the built-in ones, and those that definitions bring along while
 * they are there. Nothing is kept here but the cache of definitions. Any thread.
 */
public final class KnownCollections {
  private final List<Collection> builtIn;
  private final Informer<List<Collection>> definitions;

  /**
   * @param builtIn those that are there without a definition; definitions of the same are ignored
   */
  public KnownCollections(SharedFeeds feeds, List<Collection> builtIn) {
    this.builtIn = List.copyOf(builtIn);
    this.definitions = feeds.informer(Kinds.DEFINITIONS, KnownCollections::defined);
  }

  /** The cache they come from, to wait for. */
  public Informer<List<Collection>> definitions() {
    return definitions;
  }

  public List<Collection> builtIn() {
    return builtIn;
  }

  /** One collection of each kind. */
  public List<Collection> all() {
    var all = new ArrayList<>(builtIn);
    definitions.all().forEach(item -> custom(item.value()).ifPresent(all::add));
    return all;
  }

  /** The collection of a definition, unless it is built in or not served. */
  Optional<Collection> custom(List<Collection> versions) {
    return versions.stream()
        .findFirst()
        .filter(one -> builtIn.stream().noneMatch(other -> other.path().equals(one.path())));
  }

  /** The collection of a kind, in whatever version it is asked for. */
  Optional<Collection> of(String apiVersion, String kind) {
    var custom = definitions.all().stream().flatMap(item -> item.value().stream());
    return Stream.concat(builtIn.stream(), custom)
        .filter(one -> one.isOf(apiVersion, kind))
        .findFirst();
  }

  Optional<Collection> at(String path) {
    return all().stream().filter(one -> one.path().equals(path)).findFirst();
  }

  /** The versions of a definition that are served, the stored one first. */
  private static List<Collection> defined(ObjectNode definition) {
    var found = new ArrayList<Collection>();
    if (!isEstablished(definition)) {
      return found;
    }
    var spec = definition.path("spec");
    for (JsonNode version : spec.path("versions")) {
      if (version.path("served").asBoolean()) {
        var one = collection(spec, version.path("name").asText());
        found.add(version.path("storage").asBoolean() ? 0 : found.size(), one);
      }
    }
    return found;
  }

  private static boolean isEstablished(ObjectNode definition) {
    for (JsonNode condition : definition.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("Established")) {
        return condition.path("status").asText().equals("True");
      }
    }
    return false;
  }

  private static Collection collection(JsonNode spec, String version) {
    var group = spec.path("group").asText();
    var plural = spec.path("names").path("plural").asText();
    return new Collection(
        group + "/" + version,
        spec.path("names").path("kind").asText(),
        spec.path("scope").asText().equals("Cluster")
            ? Resource.cluster(group, version, plural, Codec.TREE)
            : Resource.namespaced(group, version, plural, Codec.TREE));
  }
}
