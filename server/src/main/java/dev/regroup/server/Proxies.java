package dev.regroup.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.body.Call;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.proxy.HttpForwarder;
import dev.regroup.server.proxy.ProxiedName;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The subresource {@code proxy}: pages of nodes, and whatever pods and services serve in plain
 * HTTP. Whoever gets here may ask; where to is what the object of that name says.
 */
final class Proxies {

  private static final String PART = "/proxy";
  private static final int HTTP = 80;

  private final PodStreams streams;
  private final ObjectStore objects;
  private final HttpForwarder forwarder = new HttpForwarder();

  Proxies(PodStreams streams, ObjectStore objects) {
    this.streams = streams;
    this.objects = objects;
  }

  Answer pass(Call call, ResourceType type) throws Refused, InterruptedException {
    var name = ProxiedName.parse(call.info().name());
    var object = ObjectStore.tree(objects.get(type, call.info().namespace(), name.name()).value());
    var path = rest(call.request());
    if (path.isEmpty()) {
      return moved(call.request());
    }
    return switch (type.names().plural()) {
      case "nodes" -> page(call, name.name(), path);
      case "pods" -> forward(call, podAddress(object, name), path);
      default -> forward(call, endpoint(call, object, name), path);
    };
  }

  /** What follows the name of the part, as it was sent. */
  private static String rest(Request request) {
    int at = request.path().indexOf(PART + "/");
    return at < 0 ? "" : request.path().substring(at + PART.length());
  }

  /** So that what a page calls its neighbours is found. */
  private static Answer moved(Request request) {
    var query = request.query().isEmpty() ? "" : "?" + request.query();
    var headers = Headers.of("location", request.path() + "/" + query);
    return new Answer.Whole(new Response(301, headers, new byte[0]));
  }

  private Answer page(Call call, String node, String path) throws Refused, InterruptedException {
    if (!call.request().method().equals("GET")) {
      throw new Refused(Status.methodNotAllowed());
    }
    try {
      return new Answer.Whole(streams.access().page(node, path));
    } catch (NodeAccess.NodeFailure e) {
      throw PodStreams.failed(e.code(), String.valueOf(e.getMessage()));
    }
  }

  private Answer forward(Call call, InetSocketAddress to, String path)
      throws Refused, InterruptedException {
    return forwarder.forward(call.request(), to, path);
  }

  private static InetSocketAddress podAddress(ObjectNode pod, ProxiedName name) throws Refused {
    refuseTls(name);
    var address = pod.path("status").path("podIP").asText("");
    if (address.isEmpty()) {
      throw Refused.badRequest("address not allowed"); // none is none
    }
    var containers = items(pod.path("spec").path("containers")).toList();
    var ports = containers.stream().flatMap(one -> items(one.path("ports"))).toList();
    int port =
        name.port().isEmpty()
            ? ports.stream().map(one -> one.path("containerPort").asInt()).findFirst().orElse(HTTP)
            : number(name.port())
                .orElseThrow(() ->
                    Refused.badRequest("invalid port \"" + name.port() + "\": must be a number"));
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  /** One that is ready, of the service's slices. */
  private InetSocketAddress endpoint(Call call, ObjectNode service, ProxiedName name)
      throws Refused {
    refuseTls(name);
    var wanted = portName(service, name);
    var slices = call.kinds().catalog().find("discovery.k8s.io", "v1", "endpointslices");
    var listed = objects.list(slices.orElseThrow(), call.info().namespace()).entries();
    for (var entry : listed) {
      var slice = ObjectStore.tree(entry.value());
      var owner = slice.path("metadata").path("labels").path("kubernetes.io/service-name");
      if (!owner.asText().equals(name.name())) {
        continue;
      }
      var port =
          items(slice.path("ports"))
              .filter(one -> one.path("name").asText("").equals(wanted))
              .findFirst();
      var address =
          items(slice.path("endpoints"))
              .filter(one -> one.path("conditions").path("ready").asBoolean(true))
              .flatMap(one -> items(one.path("addresses")))
              .findFirst();
      if (port.isPresent() && address.isPresent()) {
        return new InetSocketAddress(
            InetAddress.ofLiteral(address.get().asText()), port.get().path("port").asInt());
      }
    }
    throw new Refused(
        Status.unavailable("no endpoints available for service \"" + name.name() + "\""));
  }

  /** The name of the port that is asked for by name or number; of an only one, its name. */
  private static String portName(ObjectNode service, ProxiedName name) throws Refused {
    var ports = items(service.path("spec").path("ports")).toList();
    var asked = name.port();
    if (asked.isEmpty() && ports.size() == 1) {
      return ports.getFirst().path("name").asText("");
    }
    return ports.stream()
        .filter(one ->
            one.path("name").asText("").equals(asked) || one.path("port").asText().equals(asked))
        .map(one -> one.path("name").asText(""))
        .findFirst()
        .orElseThrow(() ->
            new Refused(
                Status.unavailable(
                    "no service port \"%s\" found for service \"%s\""
                        .formatted(asked, name.name()))));
  }

  private static void refuseTls(ProxiedName name) throws Refused {
    if (name.scheme().equals("https")) {
      throw Refused.badRequest("https: this server passes requests on in plain HTTP only");
    }
  }

  private static Optional<Integer> number(String text) {
    return text.matches("\\d{1,5}") ? Optional.of(Integer.valueOf(text)) : Optional.empty();
  }

  private static Stream<JsonNode> items(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}
