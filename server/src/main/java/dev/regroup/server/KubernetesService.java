package dev.regroup.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Codec;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import java.io.IOException;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The service {@code kubernetes} of namespace {@code default}, under which pods find the API, with
 * its endpoints. As with kube-apiserver, the server itself makes them, says at each start where it
 * listens now, and makes them again when somebody deletes or changes them.
 */
final class KubernetesService implements AutoCloseable {
  private static final ObjectKey KEY = new ObjectKey("default", "kubernetes");
  private static final String ADDRESS =
      "10.96.0.1"; // the first of the range, known to certificates
  private static final int PORT = 443;
  private static final Duration RETRY = Duration.ofMillis(20);
  private static final ListQuery ONLY =
      ListQuery.in(KEY.namespace()).withFields("metadata.name=" + KEY.name());

  /** An object, and the fields of it that must be as they are here. */
  private record Kept(Resource<ObjectNode> resource, ObjectNode object, List<String> fields) {}

  private final ApiClient client;
  private final List<Kept> kept;
  private final SharedFeeds feeds;
  private final WorkQueue<ObjectKey> queue;

  /**
   * @param self a way into the server as the server itself
   * @param address where pods find this machine; only the relay of this one service leads on to the
   *     loopback address the server listens at, because an endpoint may not be a loopback address
   */
  KubernetesService(Transport self, Inet4Address address, int port, RandomGenerator random) {
    String host = address.getHostAddress();
    this.client = new ApiClient(self);
    this.kept =
        List.of(
            new Kept(
                Resource.namespaced("", "v1", "services", Codec.TREE),
                service(port),
                List.of("/spec/ports", "/spec/type")),
            new Kept(
                Resource.namespaced("discovery.k8s.io", "v1", "endpointslices", Codec.TREE),
                slice(host, port),
                List.of("/endpoints", "/ports", "/metadata/labels/kubernetes.io~1service-name")),
            new Kept(
                Resource.namespaced("", "v1", "endpoints", Codec.TREE),
                endpoints(host, port),
                List.of("/subsets")));
    this.feeds = new SharedFeeds(self, random);
    var loop = feeds.<ObjectKey>loop("kubernetes-service", 1);
    for (Kept one : kept) {
      feeds.narrow(one.resource(), ONLY);
      loop.wakes(feeds.informer(one.resource(), _ -> ""), _ -> Optional.of(KEY));
    }
    this.queue = loop.run(_ -> keep());
  }

  /** Everything is there when this returns. */
  void start() throws IOException, InterruptedException {
    try {
      for (Kept one : kept) {
        keep(one);
      }
    } catch (ApiFailure e) {
      close();
      throw new IOException("service " + KEY + " could not be made: " + e.getMessage(), e);
    }
    feeds.start();
    queue.add(KEY); // what went before they saw it, nobody tells
  }

  @Override
  public void close() {
    feeds.close();
    queue.close();
  }

  private Outcome keep() throws ApiFailure, Transport.Unreachable, InterruptedException {
    try {
      for (Kept one : kept) {
        keep(one);
      }
      return Outcome.settled();
    } catch (ApiFailure e) {
      if (e.conflict() || e.notFound() || e.alreadyExists()) {
        return Outcome.tryAgain(RETRY, "it changed meanwhile");
      }
      throw e;
    }
  }

  private void keep(Kept one) throws ApiFailure, Transport.Unreachable, InterruptedException {
    var present = client.get(one.resource(), KEY);
    if (present.isEmpty()) {
      client.create(one.resource(), KEY.namespace(), one.object());
      return;
    }
    boolean right =
        one.fields().stream()
            .allMatch(field -> at(present.get(), field).equals(at(one.object(), field)));
    if (!right) {
      client.mergePatch(one.resource(), KEY, one.object().toString());
    }
  }

  private static JsonNode at(ObjectNode object, String field) {
    return object.at(field);
  }

  private static ObjectNode service(int port) {
    ObjectNode service = object("v1", "Service");
    labels(service).put("component", "apiserver").put("provider", "kubernetes");
    ObjectNode spec = service.putObject("spec").put("type", "ClusterIP").put("clusterIP", ADDRESS);
    spec.putArray("ports")
        .addObject()
        .put("name", "https")
        .put("protocol", "TCP")
        .put("port", PORT)
        .put("targetPort", port);
    return service;
  }

  private static ObjectNode slice(String host, int port) {
    ObjectNode slice = object("discovery.k8s.io/v1", "EndpointSlice").put("addressType", "IPv4");
    labels(slice).put("kubernetes.io/service-name", KEY.name());
    ObjectNode endpoint = slice.putArray("endpoints").addObject();
    endpoint.putArray("addresses").add(host);
    endpoint.putObject("conditions").put("ready", true);
    slice
        .putArray("ports")
        .addObject()
        .put("name", "https")
        .put("port", port)
        .put("protocol", "TCP");
    return slice;
  }

  private static ObjectNode endpoints(String host, int port) {
    ObjectNode endpoints = object("v1", "Endpoints");
    labels(endpoints).put("endpointslice.kubernetes.io/skip-mirror", "true");
    ObjectNode subset = endpoints.putArray("subsets").addObject();
    subset.putArray("addresses").addObject().put("ip", host);
    subset
        .putArray("ports")
        .addObject()
        .put("name", "https")
        .put("port", port)
        .put("protocol", "TCP");
    return endpoints;
  }

  private static ObjectNode object(String version, String kind) {
    ObjectNode object = Wire.object();
    object.put("apiVersion", version).put("kind", kind);
    object.putObject("metadata").put("namespace", KEY.namespace()).put("name", KEY.name());
    return object;
  }

  private static ObjectNode labels(ObjectNode object) {
    return ((ObjectNode) object.path("metadata")).putObject("labels");
  }
}
