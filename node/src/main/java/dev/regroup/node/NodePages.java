package dev.regroup.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Wire;
import dev.regroup.client.Headers;
import dev.regroup.client.Response;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeRecord.State;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a node tells about itself, under the names Kubernetes' node has: {@code healthz}, {@code
 * pods}, {@code runningpods}, {@code metrics}. Any thread. Who may read it is for the server to
 * say.
 */
public final class NodePages {

  private final Supplier<List<Pod>> pods;
  private final ContainerRuntime runtime;

  NodePages(Supplier<List<Pod>> pods, ContainerRuntime runtime) {
    this.pods = pods;
    this.runtime = runtime;
  }

  /**
   * The page at this path, which begins with a slash.
   *
   * @param figures the text of its metrics
   */
  public Response page(String path, Supplier<String> figures) {
    return switch (path) {
      case "/healthz", "/healthz/ping" -> page(200, "text/plain; charset=utf-8", "ok");
      case "/pods", "/pods/" -> list(pods.get());
      case "/runningpods", "/runningpods/" -> list(pods.get().stream().filter(this::runs).toList());
      case "/metrics" -> page(200, "text/plain; version=0.0.4; charset=utf-8", figures.get());
      default -> page(404, "text/plain; charset=utf-8", "404 page not found\n");
    };
  }

  private boolean runs(Pod pod) {
    return runtime.containers(new PodUid(pod.getMetadata().getUid())).stream()
        .anyMatch(record -> record.state() == State.RUNNING);
  }

  private static Response list(List<Pod> shown) {
    var list = Wire.object().put("kind", "PodList").put("apiVersion", "v1");
    list.putObject("metadata");
    var items = list.putArray("items");
    shown.forEach(pod -> items.add(Wire.toTree(pod)));
    return page(200, "application/json", list.toString());
  }

  private static Response page(int code, String type, String text) {
    return new Response(code, Headers.of("content-type", type), text.getBytes(UTF_8));
  }
}
