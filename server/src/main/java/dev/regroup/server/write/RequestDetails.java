package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.review.RequestFacts;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.body.Call;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.DeleteParameters;
import java.util.List;
import java.util.function.Supplier;

/** What a call says beside the object, for those in admission who want to know. */
final class RequestDetails {
  private static final List<String> FLAGS = List.of("stdin", "stdout", "stderr", "tty");

  private RequestDetails() {}

  static RequestFacts of(Call call, ResourceType type, boolean dryRun) {
    return facts(call, type, () -> options(call), dryRun);
  }

  static RequestFacts ofDeletion(Call call, ResourceType type, DeleteParameters options) {
    return facts(call, type, () -> options(options), options.dryRun());
  }

  private static RequestFacts facts(
      Call call, ResourceType type, Supplier<ObjectNode> options, boolean dryRun) {
    var asker = call.asker();
    return new RequestFacts(
        new RequestFacts.Asker(asker.user(), asker.uid(), asker.groups(), asker.extra()),
        type.names().plural(),
        call.info().subresource(),
        call.info().namespace(),
        call.info().name(),
        options,
        dryRun);
  }

  /** The options of a write stand in the query. */
  private static ObjectNode options(Call call) {
    var kind =
        switch (call.info().verb()) {
          case CREATE -> "CreateOptions";
          case UPDATE -> "UpdateOptions";
          case PATCH -> "PatchOptions";
          case DELETE, DELETECOLLECTION -> "DeleteOptions";
          case GET, LIST, WATCH, OTHER -> "";
        };
    if (kind.isEmpty()) {
      return Wire.object();
    }
    var options = Wire.object();
    options.put("kind", kind).put("apiVersion", "meta.k8s.io/v1");
    var query = call.query();
    var dryRun = query.all("dryRun");
    if (!dryRun.isEmpty()) {
      dryRun.forEach(options.putArray("dryRun")::add);
    }
    query.first("force").ifPresent(force -> options.put("force", force.equals("true")));
    for (var field : List.of("fieldManager", "fieldValidation")) {
      query.first(field).ifPresent(value -> options.put(field, value));
    }
    return options;
  }

  private static ObjectNode options(DeleteParameters parameters) {
    var options = Wire.object();
    options.put("kind", "DeleteOptions").put("apiVersion", "meta.k8s.io/v1");
    parameters.gracePeriod().ifPresent(seconds -> options.put("gracePeriodSeconds", seconds));
    parameters
        .propagation()
        .ifPresent(propagation ->
            options.put(
                "propagationPolicy",
                switch (propagation) {
                  case ORPHAN -> "Orphan";
                  case BACKGROUND -> "Background";
                  case FOREGROUND -> "Foreground";
                }));
    if (parameters.dryRun()) {
      options.putArray("dryRun").add("All");
    }
    return options;
  }

  /** How somebody wants to talk: the query as an object. */
  static ObjectNode connection(Call call, GroupVersionKind kind) {
    var options = Wire.object();
    options.put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
    var query = call.query();
    for (var flag : FLAGS) {
      query.first(flag).ifPresent(value -> options.put(flag, isTrue(value)));
    }
    query.first("container").ifPresent(name -> options.put("container", name));
    if (!query.all("command").isEmpty()) {
      query.all("command").forEach(options.putArray("command")::add);
    }
    return options;
  }

  private static boolean isTrue(String value) {
    return value.equals("true") || value.equals("1") || value.isEmpty();
  }
}
