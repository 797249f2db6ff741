package dev.regroup.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.regroup.api.admission.field.Selectors;
import dev.regroup.api.policy.CompiledPolicy;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.resource.ResourceType;
import java.util.List;

/** Finds the objects a binding gives its policy as parameters. */
record PolicyParameters(ObjectStore objects, KindSet kinds) {

  /** The parameters, or why the binding cannot be used. */
  sealed interface Found {

    /** The policy is asked once for each; null stands for a policy without. */
    record Some(List<JsonNode> parameters) implements Found {}

    /** Nothing is there and that is as well. */
    record NotNeeded() implements Found {}

    record Problem(String text) implements Found {}
  }

  Found of(CompiledPolicy policy, PolicyBinding binding, String namespace) {
    if (policy.paramKind().isEmpty() || binding.parameters().isEmpty()) {
      return new Found.Some(List.of(NullNode.getInstance()));
    }
    var kind = policy.paramKind().get();
    var type = kinds.catalog().find(kind);
    if (type.isEmpty()) {
      return new Found.Problem(
          "failed to configure policy: failed to find resource referenced by paramKind: '%s, Kind=%s'"
              .formatted(
                  kind.group().isEmpty() ? "/" + kind.version() : kind.apiVersion(), kind.kind()));
    }
    return find(type.get(), binding.parameters().get(), namespace);
  }

  private Found find(ResourceType type, JsonNode reference, String requested) {
    var given = Trees.text(reference, "namespace");
    if (!type.namespaced() && !given.isEmpty()) {
      return problem("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
    }
    var namespace = !type.namespaced() || !given.isEmpty() ? given : requested;
    if (type.namespaced() && namespace.isEmpty()) {
      return problem(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
    }
    var name = Trees.text(reference, "name");
    var found =
        name.isEmpty()
            ? selected(type, namespace, reference.path("selector"))
            : objects.find(type, namespace, name).stream()
                .<JsonNode>map(entry -> ObjectStore.tree(entry.value()))
                .toList();
    if (!found.isEmpty()) {
      return new Found.Some(found);
    }
    return Trees.text(reference, "parameterNotFoundAction").equals("Deny")
        ? problem("no params found for policy binding with `Deny` parameterNotFoundAction")
        : new Found.NotNeeded();
  }

  private List<JsonNode> selected(ResourceType type, String namespace, JsonNode selector) {
    return objects.list(type, namespace).entries().stream()
        .<JsonNode>map(entry -> ObjectStore.tree(entry.value()))
        .filter(object -> Selectors.matches(selector, Trees.map(object, "metadata", "labels")))
        .toList();
  }

  private static Found problem(String text) {
    return new Found.Problem("failed to configure binding: " + text);
  }
}
