package dev.regroup.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.client.Request;
import dev.regroup.e2e.Kube;
import java.io.IOException;

/** Applies the objects of manifests one after the other, as {@code kubectl apply} does. */
final class Manifests {

  private final Kube kube;

  Manifests(Kube kube) {
    this.kube = kube;
  }

  /** Fails with the server's words when one of them is refused. */
  void apply(String yaml) throws Exception {
    for (var document : YamlDocuments.read(yaml.getBytes(UTF_8))) {
      if (document.root().isObject()) {
        apply(document.root());
      }
    }
  }

  private void apply(JsonNode object) throws IOException, InterruptedException {
    var path = path(object);
    var request =
        Request.of(
                "PATCH", path, "application/apply-patch+yaml", Kube.JSON.writeValueAsBytes(object))
            .withQuery("fieldManager=cluster-tests&force=true");
    var answer = kube.transport().send(request);
    if (!answer.ok()) {
      throw new AssertionError(path + ": " + new String(answer.body(), UTF_8));
    }
  }

  private String path(JsonNode object) throws IOException, InterruptedException {
    var version = object.path("apiVersion").asText();
    var group = (version.contains("/") ? "/apis/" : "/api/") + version;
    var kind = object.path("kind").asText();
    for (var resource : kube.get(group).path("resources")) {
      if (resource.path("kind").asText().equals(kind)
          && !resource.path("name").asText().contains("/")) {
        var metadata = object.path("metadata");
        var namespace = metadata.path("namespace").asText("default");
        return group
            + (resource.path("namespaced").asBoolean() ? "/namespaces/" + namespace : "")
            + "/"
            + resource.path("name").asText()
            + "/"
            + metadata.path("name").asText();
      }
    }
    throw new AssertionError("the server has no " + kind + " in " + group);
  }
}
