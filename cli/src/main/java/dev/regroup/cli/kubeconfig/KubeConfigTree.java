package dev.regroup.cli.kubeconfig;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.api.yaml.YamlFailure;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a kubeconfig says, for reading only. */
record KubeConfigTree(Path file, ObjectNode root) {

  static KubeConfigTree read(Path file) throws CliFailure {
    try {
      var documents = YamlDocuments.read(Files.readAllBytes(file));
      if (!documents.isEmpty() && documents.getFirst().root() instanceof ObjectNode root) {
        return new KubeConfigTree(file.toAbsolutePath(), root);
      }
      throw new CliFailure(file + ": is not a kubeconfig (name another with --kubeconfig)");
    } catch (YamlFailure e) {
      throw new CliFailure("%s:%s: %s".formatted(file, e.position(), e.problem()), e);
    } catch (IOException e) {
      throw new CliFailure(
          CliFailure.Code.NOT_FOUND,
          "%s: cannot be read: %s (start a cluster with 'regroup up', or name another file with --kubeconfig)"
              .formatted(file, Reason.of(e)),
          e);
    }
  }

  /** The access of a context, or of the current one. */
  KubeAccess access(@Nullable String context) throws CliFailure {
    String chosen = context == null ? Trees.text(root, "current-context") : context;
    if (chosen.isEmpty()) {
      throw wrong(
          "no context is current (start a cluster with 'regroup up', or name one with --context)");
    }
    return KubeAccess.of(this, chosen);
  }

  JsonNode entry(String list, String field, String name) throws CliFailure {
    for (var entry : Trees.objects(root, list)) {
      if (Trees.text(entry, "name").equals(name)) {
        return entry.path(field).isObject()
            ? entry.path(field)
            : JsonNodeFactory.instance.objectNode();
      }
    }
    throw wrong("no %s is named \"%s\"".formatted(field, name));
  }

  /** The text in the file itself, or in the file it names; empty for neither. */
  String data(JsonNode owner, String field) throws CliFailure {
    var inside = Trees.text(owner, field + "-data");
    if (!inside.isEmpty()) {
      try {
        return KubeAccess.decoded(inside);
      } catch (IllegalArgumentException e) {
        throw wrong(field + "-data is not base64");
      }
    }
    var named = Trees.text(owner, field);
    if (named.isEmpty()) {
      return "";
    }
    try {
      return Files.readString(resolve(named));
    } catch (IOException e) {
      throw wrong("%s \"%s\" cannot be read: %s".formatted(field, named, Reason.of(e)));
    }
  }

  /** Paths in a kubeconfig begin where it lies. */
  Path resolve(String path) {
    return Objects.requireNonNull(file.getParent(), "folder").resolve(path);
  }

  CliFailure wrong(String problem) {
    return new CliFailure(file + ": " + problem);
  }
}
