package dev.regroup.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.wire.Answer;
import java.io.IOException;
import java.util.List;

/** What exists before anybody asks: the namespaces every cluster has. */
final class SystemObjects {
  private static final List<String> NAMESPACES =
      List.of("default", "kube-system", "kube-public", "kube-node-lease");
  private static final Identity SELF =
      Identity.of("system:apiserver", Identity.MASTERS, Identity.AUTHENTICATED);

  private final Exchange exchange;

  SystemObjects(Exchange exchange) {
    this.exchange = exchange;
  }

  void ensure() throws IOException, InterruptedException {
    for (var name : NAMESPACES) {
      var namespace = Wire.object();
      namespace.put("apiVersion", "v1").put("kind", "Namespace");
      namespace.putObject("metadata").put("name", name);
      create("/api/v1/namespaces", name, namespace);
    }
  }

  private void create(String path, String name, ObjectNode object)
      throws IOException, InterruptedException {
    var here = exchange.handle(SELF, Request.get(path + "/" + name, ""));
    if (here instanceof Answer.Whole(Response there) && there.ok()) {
      return;
    }
    var request = Request.of("POST", path, "application/json", Wire.write(object));
    if (exchange.handle(SELF, request) instanceof Answer.Whole(Response answer) && !answer.ok()) {
      throw new IOException(
          "%s/%s could not be made: %s"
              .formatted(path, name, new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8)));
    }
  }
}
