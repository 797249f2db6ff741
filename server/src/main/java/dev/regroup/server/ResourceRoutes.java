package dev.regroup.server;

import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.server.body.Call;
import dev.regroup.server.read.Reader;
import dev.regroup.server.read.Watches;
import dev.regroup.server.resource.Act;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ResourceType.Trait;
import dev.regroup.server.resource.Subresource;
import dev.regroup.server.review.Reviews;
import dev.regroup.server.token.TokenRequests;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.GoText;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestInfo;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.Verb;
import dev.regroup.server.write.AdmissionGate;
import dev.regroup.server.write.Finalizing;
import dev.regroup.server.write.Patcher;
import dev.regroup.server.write.PodActions;
import dev.regroup.server.write.Remover;
import dev.regroup.server.write.Scaling;
import dev.regroup.server.write.Writer;
import java.util.List;

/** Finds the resource a request names and calls what does its verb. */
final class ResourceRoutes {

  /** Those who do the work. */
  record Workers(
      Reader reader,
      Watches watches,
      Writer writer,
      Patcher patcher,
      Remover remover,
      AdmissionGate rules,
      PodActions podActions,
      Finalizing finalizing,
      Scaling scaling,
      PodStreams podStreams,
      PodTalks podTalks,
      Proxies proxies,
      Reviews reviews,
      TokenRequests tokens) {}

  private final Workers workers;

  ResourceRoutes(Workers workers) {
    this.workers = workers;
  }

  Answer route(Call call) throws Refused, InterruptedException {
    var info = call.info();
    var catalog = call.kinds().catalog();
    if (!catalog.hasGroup(info.group()) || info.path().startsWith("//")) {
      return Pipeline.text(404, "404 page not found\n");
    }
    var found = catalog.find(info.group(), info.version(), info.resource());
    if (found.isEmpty()) {
      return noSuchResource(catalog, info.group());
    }
    var type = found.get();
    boolean passed =
        type.subresource(info.subresource()).filter(part -> part.act() == Act.PROXY).isPresent();
    if (!info.rest().isEmpty() && !passed) {
      throw new Refused(Status.noSuchResource());
    }
    if (call.request().method().equals("HEAD") && !passed) {
      throw new Refused(Status.methodNotAllowed());
    }
    if (isOutOfPlace(call, type)) {
      return noSuchResource(catalog, info.group());
    }
    checkScope(call, type);
    call.warn(type.strategy().warnings());
    if (!info.subresource().isEmpty()) {
      var part =
          type.subresource(info.subresource()).orElseThrow(() -> noSuchPart(type, info.name()));
      checkName(info.name());
      return routePart(call, type, part);
    }
    checkName(info.name());
    return routeObject(call, type);
  }

  /** What serves custom kinds looks a path up as a whole. */
  private static Answer noSuchResource(Catalog catalog, String group) throws Refused {
    if (catalog.isCustom(group)) {
      return Pipeline.text(404, "404 page not found\n");
    }
    throw new Refused(Status.noSuchResource());
  }

  private static void checkName(String name) throws Refused {
    var problems = Metadata.pathSegment(name);
    if (!problems.isEmpty()) {
      throw Refused.badRequest(
          "Name parameter invalid: " + GoText.quote(name) + ": " + String.join(";", problems));
    }
  }

  /** Parts of custom resources are looked for inside the object. */
  private static Refused noSuchPart(ResourceType type, String name) {
    return new Refused(
        type.has(Trait.CUSTOM)
            ? Status.notFound(type.groupResource(), name)
            : Status.noSuchResource());
  }

  private static void checkScope(Call call, ResourceType type) throws Refused {
    if (type.namespaced() && call.info().namespace().isEmpty() && !isOfAll(call.info())) {
      throw new Refused(Status.methodNotAllowed());
    }
  }

  /** A namespace where there is none, or none where there is one. */
  private static boolean isOutOfPlace(Call call, ResourceType type) {
    var info = call.info();
    if (!type.namespaced()) {
      return !type.has(Trait.IS_NAMESPACE) && !info.namespace().isEmpty();
    }
    boolean one = !info.name().isEmpty() || (type.custom().isPresent() && !isOfAll(info));
    return info.namespace().isEmpty() && one;
  }

  /** Of all namespaces together there are only lists. */
  private static boolean isOfAll(RequestInfo info) {
    return info.verb() == Verb.LIST || info.verb() == Verb.WATCH;
  }

  private Answer routeObject(Call call, ResourceType type) throws Refused, InterruptedException {
    var info = call.info();
    boolean needsName =
        switch (info.verb()) {
          case GET, UPDATE, PATCH, DELETE -> true;
          case LIST, CREATE, DELETECOLLECTION, WATCH, OTHER -> false;
        };
    boolean hasName = !info.name().isEmpty();
    if (hasName && type.verbs().equals(List.of(Verb.CREATE))) {
      throw new Refused(Status.noSuchResource()); // what is only made has no address
    }
    boolean watch = info.verb() == Verb.WATCH; // the old form of a watch may name one object
    if (!type.verbs().contains(info.verb()) || (needsName != hasName && !watch)) {
      throw new Refused(Status.methodNotAllowed());
    }
    return switch (info.verb()) {
      case GET -> workers.reader().get(call, type);
      case LIST -> workers.reader().list(call, type);
      case WATCH -> workers.watches().open(call, type);
      case CREATE -> create(call, type);
      case UPDATE -> workers.writer().update(call, type, Operation.UPDATE);
      case PATCH -> workers.patcher().patch(call, type, Operation.UPDATE);
      case DELETE -> workers.remover().delete(call, type);
      case DELETECOLLECTION -> workers.remover().deleteCollection(call, type);
      case OTHER -> throw new Refused(Status.methodNotAllowed());
    };
  }

  private Answer routePart(Call call, ResourceType type, Subresource part)
      throws Refused, InterruptedException {
    var verb = call.info().verb();
    if (!part.verbs().contains(verb)) {
      throw new Refused(
          type.has(Trait.CUSTOM)
              ? Status.methodNotSupported(type.groupResource(), verb)
              : Status.methodNotAllowed());
    }
    if (part.act() == Act.TALK || part.act() == Act.PROXY) {
      workers.rules().admitConnection(call, type, part.kind());
    }
    return perform(call, type, part.act());
  }

  private Answer create(Call call, ResourceType type) throws Refused, InterruptedException {
    var act = type.strategy().actOfCreate();
    return act.isPresent() ? perform(call, type, act.get()) : workers.writer().create(call, type);
  }

  private Answer perform(Call call, ResourceType type, Act act)
      throws Refused, InterruptedException {
    return switch (act) {
      case STATUS -> write(call, type, Operation.UPDATE_STATUS);
      case EPHEMERAL_CONTAINERS -> write(call, type, Operation.UPDATE_EPHEMERAL_CONTAINERS);
      case RESIZE -> write(call, type, Operation.UPDATE_RESIZE);
      case SCALE -> scale(call, type);
      case FINALIZE -> workers.finalizing().finalizeNamespace(call, type);
      case BIND -> workers.podActions().bind(call);
      case EVICT -> workers.podActions().evict(call);
      case LOG -> workers.podStreams().log(call, type);
      case TALK -> workers.podTalks().talk(call, type);
      case PROXY -> workers.proxies().pass(call, type);
      case REVIEW -> workers.reviews().review(call, type);
      case TOKEN -> workers.tokens().request(call, type);
    };
  }

  private Answer scale(Call call, ResourceType type) throws Refused, InterruptedException {
    return switch (call.info().verb()) {
      case GET -> workers.scaling().get(call, type);
      case UPDATE -> workers.scaling().update(call, type);
      case PATCH -> workers.scaling().patch(call, type);
      case LIST, WATCH, CREATE, DELETE, DELETECOLLECTION, OTHER ->
          throw new Refused(Status.methodNotAllowed());
    };
  }

  private Answer write(Call call, ResourceType type, Operation operation)
      throws Refused, InterruptedException {
    return switch (call.info().verb()) {
      case GET -> workers.reader().get(call, type);
      case UPDATE -> workers.writer().update(call, type, operation);
      case PATCH -> workers.patcher().patch(call, type, operation);
      case LIST, WATCH, CREATE, DELETE, DELETECOLLECTION, OTHER ->
          throw new Refused(Status.methodNotAllowed());
    };
  }
}
