package dev.regroup.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.protobuf.ProtobufCodec;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.client.Headers;
import dev.regroup.client.Response;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.discovery.Discovery;
import dev.regroup.server.discovery.OpenApi;
import dev.regroup.server.discovery.Version;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.token.IssuerDocuments;
import dev.regroup.server.wire.Accept;
import dev.regroup.server.wire.Accept.Format;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Paths that are no resources: discovery, OpenAPI, version, health, metrics. */
final class SelfDescription {
  private static final String AGGREGATED =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  private static final String NO_PAGE = "404 page not found\n";

  private final Health health;
  private final Supplier<Optional<String>> metrics;
  private final IssuerDocuments issuer;
  private volatile @Nullable Documents newest;

  /** The documents about one set of kinds. */
  private record Documents(KindSet kinds, Discovery discovery, OpenApi openApi) {

    Documents(KindSet kinds) {
      this(kinds, new Discovery(kinds.catalog()), new OpenApi(kinds.catalog(), kinds.schema()));
    }
  }

  SelfDescription(Health health, Supplier<Optional<String>> metrics, IssuerDocuments issuer) {
    this.health = health;
    this.metrics = metrics;
    this.issuer = issuer;
  }

  /** OpenAPI documents are worth keeping, as long as the kinds are the same. */
  private Documents documents(Call call) {
    var known = newest;
    if (known != null && known.kinds().equals(call.kinds())) {
      return known;
    }
    var made = new Documents(call.kinds());
    newest = made;
    return made;
  }

  Answer route(Call call) throws Refused {
    var discovery = documents(call).discovery();
    var path = call.info().path();
    if (!call.request().method().equals("GET") && !anyMethod(path)) {
      throw new Refused(Status.methodNotAllowed());
    }
    if (path.endsWith("/") && !isExact(path)) {
      path = path.substring(0, path.length() - 1);
    }
    return switch (path) {
      case "", "/index.html" -> document(call, discovery.paths());
      case "/version" -> document(call, Version.document());
      case "/healthz", "/livez", "/readyz" ->
          health.answer(path.substring(1), call.query().first("verbose").isPresent());
      case "/metrics" ->
          metrics
              .get()
              .map(page -> Pipeline.text(200, page))
              .orElseGet(() -> Pipeline.text(404, NO_PAGE));
      case "/api" ->
          discovered(call, discovery.aggregatedCore(), discovery.coreVersions(host(call)));
      case "/apis" -> discovered(call, discovery.aggregatedGroups(), discovery.groups());
      case IssuerDocuments.CONFIGURATION -> issuer.configuration(host(call));
      case IssuerDocuments.KEY_SET -> issuer.keySet();
      case "/openapi/v2" -> oldOpenApi(call);
      case "/openapi/v3" -> document(call, documents(call).openApi().index());
      default -> deeper(call, path);
    };
  }

  /** These pages do not look at the method. */
  private static boolean anyMethod(String path) {
    return path.equals("/apis") || path.equals("/openapi/v3") || isHealth(path);
  }

  private static boolean isHealth(String path) {
    return path.startsWith("/healthz") || path.startsWith("/livez") || path.startsWith("/readyz");
  }

  /** Paths at whose end a slash makes another page of it, which is not there. */
  private static boolean isExact(String path) {
    return isHealth(path) || path.startsWith("/openapi/") || path.startsWith("/metrics");
  }

  private Answer deeper(Call call, String path) throws Refused {
    var steps = path.substring(1).split("/", -1);
    var discovery = documents(call).discovery();
    return switch (steps[0]) {
      case "healthz", "livez", "readyz" ->
          steps.length == 2 && Health.CHECKS.contains(steps[1])
              ? health.answerOne(steps[0], steps[1])
              : Pipeline.text(404, NO_PAGE);
      case "api" -> steps.length == 2 ? found(call, discovery.resources("", steps[1])) : missing();
      case "apis" -> group(call, steps);
      case "openapi" ->
          steps.length > 2 && steps[1].equals("v3")
              ? openApiDocument(call, path.substring("/openapi/v3/".length()))
              : Pipeline.text(404, NO_PAGE);
      default -> Pipeline.text(404, NO_PAGE);
    };
  }

  private Answer group(Call call, String[] steps) throws Refused {
    var discovery = documents(call).discovery();
    if (!call.kinds().catalog().hasGroup(steps[1])) {
      return Pipeline.text(404, NO_PAGE);
    }
    if (steps.length == 2) {
      return found(call, discovery.group(steps[1]));
    }
    var resources = discovery.resources(steps[1], steps[2]);
    return resources.isEmpty() && call.kinds().catalog().isCustom(steps[1])
        ? Pipeline.text(404, NO_PAGE)
        : found(call, resources);
  }

  private Answer oldOpenApi(Call call) throws Refused {
    var form =
        OpenApi.OldForm.accepted(call.request().headers().all("accept"))
            .orElseThrow(() -> new Refused(Accept.notAcceptable()));
    return new Answer.Whole(
        new Response(
            200,
            Headers.of("content-type", form.contentType()),
            documents(call).openApi().old(form)));
  }

  private Answer openApiDocument(Call call, String path) {
    return documents(call)
        .openApi()
        .document(path)
        .<Answer>map(bytes ->
            new Answer.Whole(
                new Response(200, Headers.of("content-type", "application/json"), bytes)))
        .orElseGet(() -> Pipeline.text(404, NO_PAGE));
  }

  private static Answer found(Call call, Optional<ObjectNode> document) throws Refused {
    if (document.isEmpty()) {
      return missing();
    }
    return document(call, document.get());
  }

  private static Answer missing() throws Refused {
    throw new Refused(Status.noSuchResource());
  }

  private static Answer document(Call call, ObjectNode document) throws Refused {
    var accept = Accept.choose(call.request().headers().all("accept"), Accept.OBJECT_ONLY);
    if (accept == null) {
      throw new Refused(Accept.notAcceptable());
    }
    boolean other = accept.format() == Format.PROTOBUF && !hasProtobuf(document);
    return Presenter.tree(call, other ? Accept.PLAIN_JSON : accept, 200, document);
  }

  /** The version is no object and has one form, whatever a client accepts. */
  private static boolean hasProtobuf(ObjectNode document) {
    return ProtobufCodec.knows(
        GroupVersionKind.of(
            document.path("apiVersion").asText(""), document.path("kind").asText("")));
  }

  /** Clients of the aggregated form name it as one of several; it is preferred when it is there. */
  private static Answer discovered(Call call, ObjectNode aggregated, ObjectNode plain)
      throws Refused {
    var headers = call.request().headers().all("accept");
    var wanted =
        Accept.choose(
            headers,
            (format, as, group, version) ->
                format != Format.PROTOBUF
                    && as.equals("APIGroupDiscoveryList")
                    && group.equals("apidiscovery.k8s.io")
                    && version.equals("v2"));
    if (wanted == null) {
      return document(call, plain);
    }
    return new Answer.Whole(
        new Response(
            200, Headers.of("content-type", AGGREGATED), dev.regroup.api.Wire.write(aggregated)));
  }

  private static String host(Call call) {
    return call.request().headers().first("host").orElse("localhost");
  }
}
