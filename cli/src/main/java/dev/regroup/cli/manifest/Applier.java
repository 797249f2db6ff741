package dev.regroup.cli.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.cli.manifest.Manifests.Manifest;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.WriteOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Creates the objects of manifests through the API, what others lean on first. A refusal names
 * file, line and field of everything that is wrong with the object.
 */
public final class Applier {

  /** What a workload may refer to; a pod would wait for it. */
  private static final Set<String> SUPPORT =
      Set.of(
          "Namespace",
          "ServiceAccount",
          "Role",
          "RoleBinding",
          "ClusterRole",
          "ClusterRoleBinding",
          "ConfigMap",
          "Secret",
          "Service");

  private final ApiClient client;
  private final KindFinder kinds;

  public Applier(Transport transport, Consumer<String> warnings) {
    this.client = new ApiClient(transport, warnings);
    this.kinds = new KindFinder(transport);
  }

  /** Creates all of them and returns them as the server made them, in the order of the files. */
  public List<JsonNode> create(List<Manifest> manifests) throws CliFailure, InterruptedException {
    var resources = new HashMap<Manifest, Resource<ObjectNode>>();
    for (Manifest manifest : manifests) {
      resources.put(manifest, resource(manifest)); // all kinds are known before anything is made
    }
    var ordered = new ArrayList<>(manifests);
    ordered.sort(Comparator.comparingInt(manifest -> SUPPORT.contains(manifest.kind()) ? 0 : 1));
    var made = new ArrayList<JsonNode>();
    for (Manifest manifest : ordered) {
      var resource = resources.get(manifest);
      if (resource != null) {
        made.add(create(manifest, resource));
      }
    }
    return made;
  }

  private JsonNode create(Manifest manifest, Resource<ObjectNode> resource)
      throws CliFailure, InterruptedException {
    boolean namespaced = resource.scope() == Resource.Scope.NAMESPACED;
    String namespace =
        namespaced ? manifest.object().path("metadata").path("namespace").asText("default") : "";
    try {
      return client.create(
          resource,
          namespace,
          manifest.object(),
          WriteOptions.by("regroup").withFieldValidation("Strict"));
    } catch (ApiFailure failure) {
      throw new CliFailure(refusal(manifest, failure), failure);
    } catch (Transport.Unreachable e) {
      throw new CliFailure("the API server does not answer: " + e.getMessage(), e);
    }
  }

  private static String refusal(Manifest manifest, ApiFailure failure) {
    var causes = failure.details().causes();
    if (causes.isEmpty()) {
      return manifest.at("") + ": " + failure.getMessage();
    }
    var lines = new ArrayList<String>();
    for (var cause : causes) {
      String field = cause.field().isEmpty() || cause.field().equals("<nil>") ? "" : cause.field();
      lines.add(
          manifest.at(FieldPointer.of(field))
              + ": "
              + (field.isEmpty() ? "" : field + ": ")
              + cause.message());
    }
    return String.join("\nregroup: ", lines);
  }

  private Resource<ObjectNode> resource(Manifest manifest) throws CliFailure, InterruptedException {
    return kinds
        .find(manifest.apiVersion(), manifest.kind())
        .orElseThrow(() ->
            new CliFailure(
                "%s: kind: unknown kind \"%s\" in apiVersion \"%s\" (see: kubectl api-resources)"
                    .formatted(manifest.at("/kind"), manifest.kind(), manifest.apiVersion())));
  }
}
