package dev.regroup.node.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The requests a node makes, under its own identity. An answer is returned whatever its code, so
 * that each caller decides what a refusal means to it; only a missing answer is an exception. May
 * be used by any number of threads.
 */
public final class NodeApi {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String STRATEGIC = "application/strategic-merge-patch+json";
  private static final String MERGE = "application/merge-patch+json";

  private final Transport transport;

  public NodeApi(Transport transport) {
    this.transport = transport;
  }

  /** What came back: the code and the decoded body. */
  public record Reply(int code, JsonNode body) {
    public boolean ok() {
      return code >= 200 && code < 300;
    }

    public boolean notFound() {
      return code == 404;
    }

    public String message() {
      return body.path("message").asText("");
    }
  }

  public Reply patchPodStatus(String namespace, String name, ObjectNode patch)
      throws Transport.Unreachable, InterruptedException {
    return send("PATCH", pod(namespace, name) + "/status", STRATEGIC, patch);
  }

  /** Removes the object for good; only if it is still the pod with this uid. */
  public Reply deletePodNow(String namespace, String name, String uid)
      throws Transport.Unreachable, InterruptedException {
    var options = JSON.createObjectNode();
    options.put("kind", "DeleteOptions").put("apiVersion", "v1").put("gracePeriodSeconds", 0);
    options.putObject("preconditions").put("uid", uid);
    return send("DELETE", pod(namespace, name), "application/json", options);
  }

  public Reply createEvent(String namespace, ObjectNode event)
      throws Transport.Unreachable, InterruptedException {
    return send("POST", "/api/v1/namespaces/" + namespace + "/events", "application/json", event);
  }

  public Reply patchEvent(String namespace, String name, ObjectNode patch)
      throws Transport.Unreachable, InterruptedException {
    return send("PATCH", "/api/v1/namespaces/" + namespace + "/events/" + name, MERGE, patch);
  }

  public Reply get(String path) throws Transport.Unreachable, InterruptedException {
    return reply(transport.send(Request.get(path, "")));
  }

  public Reply create(String path, ObjectNode object)
      throws Transport.Unreachable, InterruptedException {
    return send("POST", path, "application/json", object);
  }

  public Reply mergePatch(String path, ObjectNode patch)
      throws Transport.Unreachable, InterruptedException {
    return send("PATCH", path, MERGE, patch);
  }

  private static String pod(String namespace, String name) {
    return "/api/v1/namespaces/" + namespace + "/pods/" + name;
  }

  private Reply send(String method, String path, String contentType, ObjectNode body)
      throws Transport.Unreachable, InterruptedException {
    return reply(transport.send(Request.of(method, path, contentType, bytes(body))));
  }

  private static byte[] bytes(ObjectNode node) {
    try {
      return JSON.writeValueAsBytes(node);
    } catch (IOException e) {
      throw new UncheckedIOException("a tree can always be written", e);
    }
  }

  private static Reply reply(Response response) {
    try {
      return new Reply(response.status(), JSON.readTree(response.body()));
    } catch (IOException e) {
      var text = JSON.createObjectNode();
      return new Reply(response.status(), text.put("message", new String(response.body(), UTF_8)));
    }
  }
}
