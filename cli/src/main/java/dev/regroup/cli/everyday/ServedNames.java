package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.Codec;
import dev.regroup.client.Request;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the words of people mean to a server: {@code po}, {@code pod}, {@code pods}, {@code
 * jobset.jobset.x-k8s.io}. Asks it group by group until one serves the word, the usual ones first.
 */
final class ServedNames {

  private static final List<String> USUAL = List.of("v1", "batch/v1", "jobset.x-k8s.io/v1alpha2");

  /** A kind of object the server has. */
  record Served(Resource<ObjectNode> resource, String kind, String singular) {

    /** Before the name of an object: {@code pod}, {@code jobset.jobset.x-k8s.io}. */
    String title() {
      return resource.group().isEmpty() ? singular : singular + "." + resource.group();
    }

    boolean isNamespaced() {
      return resource.scope() == Resource.Scope.NAMESPACED;
    }
  }

  private final Transport transport;

  ServedNames(Transport transport) {
    this.transport = transport;
  }

  Served find(String word) throws CliFailure, InterruptedException {
    String asked = word.toLowerCase(Locale.ROOT);
    var versions = new ArrayList<>(USUAL);
    for (int i = 0; i < versions.size(); i++) {
      var found = in(versions.get(i), asked);
      if (found.isPresent()) {
        return found.get();
      }
      if (i == USUAL.size() - 1) {
        groups().stream().filter(one -> !versions.contains(one)).forEach(versions::add);
      }
    }
    throw new CliFailure(
        CliFailure.Code.NOT_FOUND,
        "the server doesn't have a resource type \"%s\" (see: regroup get --kinds)".formatted(word),
        null);
  }

  /** All kinds that can be listed, by their plural names. */
  List<String> all() throws CliFailure, InterruptedException {
    var names = new ArrayList<String>();
    var versions = new ArrayList<>(List.of("v1"));
    versions.addAll(groups());
    for (String version : versions) {
      for (var one : Trees.objects(tree(path(version)), "resources")) {
        String name = Trees.text(one, "name");
        if (!name.contains("/") && Trees.texts(one, "verbs").contains("list")) {
          names.add(version.contains("/") ? name + "." + group(version) : name);
        }
      }
    }
    return names.stream().distinct().sorted().toList();
  }

  private Optional<Served> in(String version, String word) throws CliFailure, InterruptedException {
    for (var one : Trees.objects(tree(path(version)), "resources")) {
      String name = Trees.text(one, "name");
      if (name.contains("/") || !answersTo(one, group(version), word)) {
        continue;
      }
      String kind = Trees.text(one, "kind");
      String singular = Trees.text(one, "singularName");
      return Optional.of(
          new Served(
              new Resource<>(
                  group(version),
                  version.substring(version.indexOf('/') + 1),
                  name,
                  Trees.isTrue(one, "namespaced")
                      ? Resource.Scope.NAMESPACED
                      : Resource.Scope.CLUSTER,
                  Codec.TREE),
              kind,
              singular.isEmpty() ? kind.toLowerCase(Locale.ROOT) : singular));
    }
    return Optional.empty();
  }

  private static boolean answersTo(JsonNode one, String group, String word) {
    String plain = word;
    if (word.contains(".")) {
      if (group.isEmpty() || !word.endsWith("." + group)) {
        return false;
      }
      plain = word.substring(0, word.length() - group.length() - 1);
    }
    return plain.equals(Trees.text(one, "name"))
        || plain.equals(Trees.text(one, "singularName"))
        || plain.equals(Trees.text(one, "kind").toLowerCase(Locale.ROOT))
        || Trees.texts(one, "shortNames").contains(plain);
  }

  private List<String> groups() throws CliFailure, InterruptedException {
    return Trees.objects(tree("/apis"), "groups").stream()
        .map(group -> Trees.text(group, "preferredVersion", "groupVersion"))
        .toList();
  }

  private JsonNode tree(String path) throws CliFailure, InterruptedException {
    try {
      var response = transport.send(Request.get(path, "").withHeader("accept", "application/json"));
      if (response.status() == 401 || response.status() == 403) {
        throw new CliFailure(
            "the server refuses: " + Trees.text(Wire.tree(response.body()), "message"));
      }
      return response.ok() ? Wire.tree(response.body()) : Wire.object();
    } catch (IOException e) {
      throw ConnectionOptions.noAnswer(e);
    }
  }

  private static String path(String version) {
    return (version.contains("/") ? "/apis/" : "/api/") + version;
  }

  private static String group(String version) {
    int slash = version.indexOf('/');
    return slash < 0 ? "" : version.substring(0, slash);
  }
}
