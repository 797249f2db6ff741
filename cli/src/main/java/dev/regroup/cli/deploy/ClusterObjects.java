package dev.regroup.cli.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetDefinition;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.manifest.KindFinder;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Patch;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.WriteOptions;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an installation in one cluster: applied under a field manager of its own, removed
 * when they are Regroup's. An object of the same name that somebody else made is never touched.
 */
final class ClusterObjects {

  private static final WriteOptions OURS = WriteOptions.by("regroup-install").withForce();
  private static final String SELECTOR = JobSetDefinition.PART_OF + "=regroup";

  private static final int MOST_SHOWN = 600; // characters of a refusal

  private final ApiClient client;
  private final KindFinder kinds;

  ClusterObjects(Transport transport) {
    this.client = new ApiClient(transport);
    this.kinds = new KindFinder(transport);
  }

  /** Whether this cluster serves the kind of the object. */
  boolean serves(ObjectNode object) throws CliFailure, InterruptedException {
    return resource(object).isPresent();
  }

  /** The object as it is stored. */
  Optional<ObjectNode> stored(ObjectNode object) throws CliFailure, InterruptedException {
    var resource = resource(object);
    if (resource.isEmpty()) {
      return Optional.empty();
    }
    return ask(object, "read", () -> client.get(resource.get(), key(object)));
  }

  /** Makes it, or makes it what it is to be. */
  ObjectNode apply(ObjectNode object) throws CliFailure, InterruptedException {
    var resource = resource(object);
    if (resource.isEmpty()) {
      throw new CliFailure("%s: this cluster does not serve the kind".formatted(name(object)));
    }
    var there = stored(object);
    if (there.isPresent() && !isOurs(there.get())) {
      throw new CliFailure(
          "%s exists and is not Regroup's (remove it, or install into another --namespace)"
              .formatted(name(object)));
    }
    return ask(
        object,
        "applied",
        () ->
            client.patch(
                resource.get(),
                key(object),
                "",
                new Patch(Patch.Type.APPLY, Wire.write(object)),
                OURS));
  }

  /** False when there was none of ours. */
  boolean remove(ObjectNode object) throws CliFailure, InterruptedException {
    var resource = resource(object);
    var there = stored(object);
    if (resource.isEmpty() || there.isEmpty() || !isOurs(there.get())) {
      return false;
    }
    var background = DeleteOptions.NONE.with(DeleteOptions.Propagation.BACKGROUND);
    return ask(object, "removed", () -> client.delete(resource.get(), key(object), background));
  }

  /** All of a resource that Regroup has made, in all namespaces. */
  List<ObjectNode> ours(Resource<ObjectNode> resource) throws CliFailure, InterruptedException {
    return all(resource, ListQuery.ALL.withLabels(SELECTOR));
  }

  List<ObjectNode> all(Resource<ObjectNode> resource, ListQuery query)
      throws CliFailure, InterruptedException {
    return ask(
        Wire.object().put("kind", resource.plural()),
        "listed",
        () -> client.list(resource, query).items());
  }

  void delete(Resource<ObjectNode> resource, ObjectNode object)
      throws CliFailure, InterruptedException {
    ask(object, "removed", () -> client.delete(resource, key(object), DeleteOptions.NONE));
  }

  static boolean isOurs(JsonNode object) {
    return Trees.text(object, "metadata", "labels", JobSetDefinition.PART_OF).equals("regroup");
  }

  /** {@code deployment.apps/regroup-controller}, as kubectl says it. */
  static String name(JsonNode object) {
    String version = Trees.text(object, "apiVersion");
    int slash = version.indexOf('/');
    String group = slash < 0 ? "" : "." + version.substring(0, slash);
    return Trees.text(object, "kind").toLowerCase(Locale.ROOT)
        + group
        + "/"
        + Trees.text(object, "metadata", "name");
  }

  private Optional<Resource<ObjectNode>> resource(ObjectNode object)
      throws CliFailure, InterruptedException {
    return kinds.find(Trees.text(object, "apiVersion"), Trees.text(object, "kind"));
  }

  private static ObjectKey key(JsonNode object) {
    return new ObjectKey(
        Trees.text(object, "metadata", "namespace"), Trees.text(object, "metadata", "name"));
  }

  /** A refusal may quote the whole object. */
  private static String shortened(@Nullable String message) {
    var text = String.valueOf(message);
    return text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "…" : text;
  }

  private interface Question<T> {
    T ask() throws ApiFailure, Transport.Unreachable, InterruptedException;
  }

  private static <T> T ask(ObjectNode object, String what, Question<T> question)
      throws CliFailure, InterruptedException {
    try {
      return question.ask();
    } catch (ApiFailure e) {
      throw new CliFailure(
          "%s could not be %s: %s".formatted(name(object), what, shortened(e.getMessage())), e);
    } catch (Transport.Unreachable e) {
      throw new CliFailure("the API server does not answer: " + e.getMessage(), e);
    }
  }
}
