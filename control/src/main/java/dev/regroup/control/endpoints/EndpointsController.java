package dev.regroup.control.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.Ticker;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.control.endpoints.SlicePlan.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Watches services, pods and slices and writes what {@link SlicePlan} asks for. Changes of pods are
 * gathered for a moment: when a whole group changes, its slices are written once. {@link
 * EndpointsObjects} writes the older kind beside them.
 */
public final class EndpointsController implements AutoCloseable {

  private static final Duration GATHER = Duration.ofMillis(20);
  private static final String SERVICE_LABEL = "kubernetes.io/service-name";
  private static final String MANAGER_LABEL = "endpointslice.kubernetes.io/managed-by";
  private static final String MANAGER = "endpointslice-controller.k8s.io";

  private record Backend(
      Map<String, String> labels,
      String subdomain,
      Endpoint endpoint,
      boolean counts,
      Map<TargetPorts.Named, Integer> ports) {}

  private record Front(
      Map<String, String> labels,
      Map<String, String> selector,
      boolean publishNotReady,
      JsonNode ports,
      boolean headless) {}

  /**
   * A slice.
   *
   * @param service empty when somebody else manages it
   */
  private record Slice(String service, SliceChange.Content content) {

    static final Slice FOREIGN =
        new Slice("", new SliceChange.Content(Wire.object().putArray("ports"), List.of()));
  }

  private final ApiClient client;
  private final Informer<Backend> pods;
  private final Informer<Front> services;
  private final Informer<Slice> slices;
  private final EndpointsObjects objects;
  private final UnreadySpan unready = new UnreadySpan(Ticker.SYSTEM);
  private final WorkQueue<ObjectKey> queue;

  public EndpointsController(SharedFeeds feeds, Transport transport) {
    this.client = new ApiClient(transport);
    this.services =
        feeds
            .<Front>informer(Kinds.SERVICES, EndpointsController::front)
            .index("namespace", item -> List.of(item.key().namespace()));
    this.pods =
        feeds
            .<Backend>informer(Kinds.PODS, EndpointsController::backend)
            .index("label", EndpointsController::labels);
    this.slices =
        feeds
            .<Slice>informer(Kinds.SLICES, EndpointsController::slice)
            .index("service", item -> service(item).map(ObjectKey::toString).stream().toList());
    this.queue =
        feeds
            .<ObjectKey>loop("endpoints", 4)
            .hears(services, this::serviceChanged)
            .hears(pods, this::podChanged)
            .hears(slices, this::sliceChanged)
            .run(this::handle);
    this.objects =
        new EndpointsObjects(
            client,
            feeds.<ObjectKey>loop("endpoints-objects", 2).reads(services).reads(pods),
            feeds.informer(Kinds.ENDPOINTS, EndpointsObjects.Present::of),
            this::content);
  }

  private void serviceChanged(Delta<Front> delta) {
    queue.add(delta.key());
    objects.look(delta.key());
  }

  private void sliceChanged(Delta<Slice> delta) {
    delta
        .old()
        .or(delta::now)
        .flatMap(EndpointsController::service)
        .ifPresent(service -> queue.addAfter(service, GATHER));
  }

  private static Optional<ObjectKey> service(Item<Slice> slice) {
    String name = slice.value().service();
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of(new ObjectKey(slice.key().namespace(), name));
  }

  @Override
  public void close() {
    queue.close();
    objects.close();
  }

  /** Only a change that an endpoint shows wakes the services that select the pod. */
  private void podChanged(Delta<Backend> delta) {
    boolean same =
        delta.old().isPresent()
            && delta.now().isPresent()
            && delta.old().get().value().equals(delta.now().get().value());
    if (same) {
      return;
    }
    note(delta);
    for (var service : services.find("namespace", delta.key().namespace())) {
      var selector = service.value().selector();
      boolean concerned =
          delta.old().filter(pod -> selects(selector, pod.value().labels())).isPresent()
              || delta.now().filter(pod -> selects(selector, pod.value().labels())).isPresent();
      if (concerned) {
        queue.addAfter(service.key(), GATHER);
        objects.look(service.key());
      }
    }
  }

  private void note(Delta<Backend> delta) {
    delta
        .old()
        .map(pod -> pod.value().endpoint())
        .ifPresent(before -> {
          var now = delta.now().map(pod -> pod.value().endpoint());
          if (now.isEmpty()) {
            unready.gone(before.podUid());
          } else if (before.ready() && !now.get().ready()) {
            unready.becameUnready(before.podUid());
          }
        });
  }

  private Outcome handle(ObjectKey key)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var service = services.get(key);
    if (service.isEmpty() || service.get().value().selector().isEmpty()) {
      return Outcome.settled(); // its slices belong to it and go with it, or to somebody else
    }
    var front = service.get().value();
    var left = stillUnready(key, front);
    var wanted = wanted(key, front, this::shown);
    var present = new LinkedHashMap<String, SliceChange.Content>();
    for (var slice : slices.find("service", key.toString())) {
      present.put(slice.key().name(), slice.value().content());
    }
    try {
      for (SliceChange change : SliceChange.plan(wanted, present)) {
        write(service.get(), change);
      }
    } catch (ApiFailure failure) {
      if (failure.conflict() || failure.notFound() || failure.alreadyExists()) {
        return Outcome.tryAgain(GATHER, "a slice changed meanwhile");
      }
      throw failure;
    }
    if (left.isPositive()) {
      queue.addAfter(key, left);
    }
    return Outcome.settled();
  }

  /** How long until all pods behind a service show as ready that are. */
  private Duration stillUnready(ObjectKey key, Front front) {
    return candidates(key.namespace(), front.selector()).stream()
        .map(pod -> pod.value().endpoint())
        .filter(Endpoint::ready)
        .map(endpoint -> unready.left(endpoint.podUid()))
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  /** Whether a pod that is ready shows as ready. */
  private boolean shown(Endpoint ready) {
    return unready.left(ready.podUid()).isZero();
  }

  /** Endpoints by the ports they serve; at least one entry. */
  private Map<JsonNode, List<Endpoint>> wanted(
      ObjectKey key, Front front, Predicate<Endpoint> shown) {
    var wanted = new LinkedHashMap<JsonNode, List<Endpoint>>();
    for (var pod : candidates(key.namespace(), front.selector())) {
      if (pod.value().counts() && selects(front.selector(), pod.value().labels())) {
        wanted
            .computeIfAbsent(
                TargetPorts.resolve(front.ports(), pod.value().ports()), _ -> new ArrayList<>())
            .add(endpoint(pod.value(), front, key.name(), shown));
      }
    }
    if (wanted.isEmpty()) {
      wanted.put(TargetPorts.resolve(front.ports(), Map.of()), List.of());
    }
    return wanted;
  }

  /** What the service's object of the older kind says; nothing while that is not ours to say. */
  private EndpointsObjects.Wanted content(ObjectKey key) {
    var service = services.get(key);
    if (service.isEmpty()) {
      return new EndpointsObjects.Wanted.Nothing();
    }
    var front = service.get().value();
    if (front.selector().isEmpty()) {
      return new EndpointsObjects.Wanted.Foreign();
    }
    return new EndpointsObjects.Wanted.Content(
        front.labels(),
        front.headless(),
        SubsetText.subsets(
            wanted(key, front, _ -> true), key.namespace(), front.publishNotReady()));
  }

  private void write(Item<Front> service, SliceChange change)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    String namespace = service.key().namespace();
    switch (change) {
      case SliceChange.Create(SliceChange.Content content) ->
          client.create(Kinds.SLICES, namespace, made(service, content));
      case SliceChange.Update(String name, SliceChange.Content content) -> {
        var patch = Wire.object();
        patch.set("endpoints", SliceText.endpoints(content.endpoints(), namespace));
        patch.set("ports", content.ports());
        client.mergePatch(Kinds.SLICES, new ObjectKey(namespace, name), patch.toString());
      }
      case SliceChange.Delete(String name) ->
          client.delete(Kinds.SLICES, new ObjectKey(namespace, name), DeleteOptions.NONE);
    }
  }

  private static ObjectNode made(Item<Front> service, SliceChange.Content content) {
    var slice =
        Wire.object()
            .put("apiVersion", "discovery.k8s.io/v1")
            .put("kind", "EndpointSlice")
            .put("addressType", "IPv4");
    var metadata = slice.putObject("metadata").put("generateName", service.key().name() + "-");
    var labels = metadata.putObject("labels");
    labels.put(SERVICE_LABEL, service.key().name()).put(MANAGER_LABEL, MANAGER);
    if (service.value().headless()) {
      labels.put("service.kubernetes.io/headless", "");
    }
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "v1")
        .put("kind", "Service")
        .put("name", service.key().name())
        .put("uid", service.uid())
        .put("controller", true)
        .put("blockOwnerDeletion", true);
    slice.set("endpoints", SliceText.endpoints(content.endpoints(), service.key().namespace()));
    slice.set("ports", content.ports());
    return slice;
  }

  /** Pods under the pair of the selector that the fewest pods have. */
  private List<Item<Backend>> candidates(String namespace, Map<String, String> selector) {
    String best = "";
    int fewest = Integer.MAX_VALUE;
    for (var pair : selector.entrySet()) {
      String value = label(namespace, pair.getKey(), pair.getValue());
      int count = pods.count("label", value);
      if (count < fewest) {
        fewest = count;
        best = value;
      }
    }
    return pods.find("label", best);
  }

  private static Endpoint endpoint(
      Backend pod, Front front, String service, Predicate<Endpoint> shown) {
    var bare = pod.endpoint();
    boolean ready = bare.ready() && shown.test(bare);
    return new Endpoint(
        bare.podUid(),
        bare.podName(),
        bare.address(),
        pod.subdomain().equals(service) ? bare.hostname() : "",
        bare.node(),
        (ready && !bare.terminating()) || front.publishNotReady(),
        bare.serving() && ready,
        bare.terminating());
  }

  private static boolean selects(Map<String, String> selector, Map<String, String> labels) {
    return !selector.isEmpty() && labels.entrySet().containsAll(selector.entrySet());
  }

  private static List<String> labels(Item<Backend> pod) {
    return pod.value().labels().entrySet().stream()
        .map(pair -> label(pod.key().namespace(), pair.getKey(), pair.getValue()))
        .toList();
  }

  private static String label(String namespace, String key, String value) {
    return namespace + "/" + key + "=" + value;
  }

  private static Front front(ObjectNode service) {
    var spec = service.path("spec");
    return new Front(
        texts(service.path("metadata").path("labels")),
        texts(spec.path("selector")),
        spec.path("publishNotReadyAddresses").asBoolean(),
        spec.path("ports").deepCopy(),
        spec.path("clusterIP").asText("").equals("None"));
  }

  private static Backend backend(ObjectNode pod) {
    var metadata = pod.path("metadata");
    var spec = pod.path("spec");
    var status = pod.path("status");
    boolean ready = false;
    for (JsonNode condition : status.path("conditions")) {
      ready |=
          condition.path("type").asText().equals("Ready")
              && condition.path("status").asText().equals("True");
    }
    boolean ended = List.of("Succeeded", "Failed").contains(status.path("phase").asText(""));
    String address = status.path("podIP").asText("");
    var endpoint =
        new Endpoint(
            metadata.path("uid").asText(),
            metadata.path("name").asText(),
            address,
            spec.path("hostname").asText(""),
            spec.path("nodeName").asText(""),
            ready,
            ready,
            metadata.has("deletionTimestamp"));
    return new Backend(
        texts(metadata.path("labels")),
        spec.path("subdomain").asText(""),
        endpoint,
        !ended && !address.isEmpty(),
        TargetPorts.of(spec));
  }

  private static Slice slice(ObjectNode slice) {
    var labels = slice.path("metadata").path("labels");
    if (!labels.path(MANAGER_LABEL).asText("").equals(MANAGER)) {
      return Slice.FOREIGN;
    }
    JsonNode ports =
        slice.path("ports").isArray()
            ? slice.path("ports").deepCopy()
            : Wire.object().putArray("ports");
    return new Slice(
        labels.path(SERVICE_LABEL).asText(""),
        new SliceChange.Content(ports, SliceText.read(slice.path("endpoints"))));
  }

  private static Map<String, String> texts(JsonNode object) {
    var texts = new HashMap<String, String>();
    object.properties().forEach(e -> texts.put(e.getKey(), e.getValue().asText()));
    return Map.copyOf(texts);
  }
}
