package dev.regroup.control.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.ControllerLoop;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Keeps the Endpoints object of each service with a selector, for those who do not read slices. One
 * object holds all addresses, so it is written seldom: changes are gathered for half a second.
 */
final class EndpointsObjects implements AutoCloseable {

  private static final Duration GATHER = Duration.ofMillis(500);
  private static final Duration SOON = Duration.ofMillis(20);
  private static final String MANAGER_LABEL = "endpoints.kubernetes.io/managed-by";
  private static final String MANAGER = "endpoint-controller";
  private static final String HEADLESS = "service.kubernetes.io/headless";

  /** What an object should be. */
  sealed interface Wanted {

    /** The service is gone. */
    record Nothing() implements Wanted {}

    /** Somebody else says what stands behind the service. */
    record Foreign() implements Wanted {}

    /**
     * It is to hold this.
     *
     * @param labels of the service
     */
    record Content(Map<String, String> labels, boolean headless, ArrayNode subsets)
        implements Wanted {

      /** As they are in the object. */
      Map<String, String> allLabels() {
        var all = new TreeMap<>(labels);
        all.put(MANAGER_LABEL, MANAGER);
        if (headless) {
          all.put(HEADLESS, "");
        }
        return all;
      }
    }
  }

  /** What an object is. */
  record Present(Map<String, String> labels, JsonNode subsets) {

    static Present of(ObjectNode endpoints) {
      var labels = new TreeMap<String, String>();
      endpoints
          .path("metadata")
          .path("labels")
          .properties()
          .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
      var subsets = endpoints.path("subsets");
      return new Present(
          labels, subsets.isArray() ? subsets.deepCopy() : Wire.object().putArray("subsets"));
    }

    boolean isOurs() {
      return MANAGER.equals(labels.get(MANAGER_LABEL));
    }
  }

  private final ApiClient client;
  private final Function<? super ObjectKey, ? extends Wanted> wanted;
  private final Informer<Present> present;
  private final WorkQueue<ObjectKey> queue;

  /**
   * @param loop reads what {@code wanted} is made from
   * @param wanted what the object of a service should be; asked on any thread
   */
  EndpointsObjects(
      ApiClient client,
      ControllerLoop<ObjectKey> loop,
      Informer<Present> present,
      Function<? super ObjectKey, ? extends Wanted> wanted) {
    this.client = client;
    this.wanted = wanted;
    this.present = present;
    this.queue = loop.hears(present, delta -> look(delta.key())).run(this::handle);
  }

  /** Something about this service changed. Quick. */
  void look(ObjectKey service) {
    queue.addAfter(service, GATHER);
  }

  @Override
  public void close() {
    queue.close();
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var now = present.get(key);
    try {
      switch (wanted.apply(key)) {
        case Wanted.Nothing _ -> {
          if (now.isPresent() && now.get().value().isOurs()) {
            client.delete(Kinds.ENDPOINTS, key, DeleteOptions.NONE);
          }
        }
        case Wanted.Foreign _ -> {}
        case Wanted.Content content -> {
          if (now.isEmpty()) {
            client.create(Kinds.ENDPOINTS, key.namespace(), object(key, content));
          } else if (!now.get()
              .value()
              .equals(new Present(content.allLabels(), content.subsets()))) {
            client.mergePatch(Kinds.ENDPOINTS, key, patch(now.get().value(), content).toString());
          }
        }
      }
    } catch (ApiFailure failure) {
      if (failure.conflict() || failure.notFound() || failure.alreadyExists()) {
        return Outcome.tryAgain(SOON, "it changed meanwhile");
      }
      throw failure;
    }
    return Outcome.settled();
  }

  private static ObjectNode object(ObjectKey key, Wanted.Content content) {
    var object = Wire.object().put("apiVersion", "v1").put("kind", "Endpoints");
    var labels = object.putObject("metadata").put("name", key.name()).putObject("labels");
    content.allLabels().forEach(labels::put);
    if (!content.subsets().isEmpty()) {
      object.set("subsets", content.subsets());
    }
    return object;
  }

  private static ObjectNode patch(Present now, Wanted.Content content) {
    var patch = Wire.object();
    var labels = patch.putObject("metadata").putObject("labels");
    now.labels().keySet().forEach(labels::putNull);
    content.allLabels().forEach(labels::put);
    patch.set("subsets", content.subsets());
    return patch;
  }
}
