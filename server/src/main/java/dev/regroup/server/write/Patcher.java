package dev.regroup.server.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.schema.Undecodable;
import dev.regroup.server.body.Bodies;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.PatchProblems;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.patch.JsonPatch;
import dev.regroup.server.patch.MergePatch;
import dev.regroup.server.patch.StrategicMergePatch;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ResourceType.Trait;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.WriteParameters;
import java.util.ArrayList;
import java.util.List;

/** Turns a patch request into a change: reads the patch once, applies it to what is stored. */
public final class Patcher {
  private static final int MOST_OPERATIONS = 10_000; // as Kubernetes

  private static final String APPLY = "application/apply-patch+yaml";

  private final Writer writer;
  private final FieldManagement fields;
  private final Presenter presenter;

  public Patcher(Writer writer, FieldManagement fields, Presenter presenter) {
    this.writer = writer;
    this.fields = fields;
    this.presenter = presenter;
  }

  public Answer patch(Call call, ResourceType type, Operation operation)
      throws Refused, InterruptedException {
    var accept = presenter.acceptOne(call, type);
    if (Bodies.mediaType(call.request()).equals(APPLY)) {
      return apply(call, type, operation);
    }
    var patch = read(call, type);
    var options = WriteParameters.ofPatch(call.query());
    Writer.Edit whole =
        stored -> {
          var patched =
              Bodies.patched(
                  call, patch.edit().apply(stored), type, options, stored, patch.problems());
          Writer.checkAddress(call, type, patched);
          OwnerReferences.dropRepeated(call, patched);
          return patched;
        };
    var stored = writer.change(call, type, operation, options, whole);
    return presenter.one(call, type, accept, 200, stored);
  }

  /** Applies a configuration; what is not there is created. */
  private Answer apply(Call call, ResourceType type, Operation operation)
      throws Refused, InterruptedException {
    var accept = presenter.acceptOne(call, type);
    var options = WriteParameters.ofApply(call.query());
    var configuration = Bodies.configuration(call, options);
    Writer.Applying applying =
        live -> {
          var applied = fields.apply(call, type, operation, live, configuration);
          var object = Bodies.patched(call, applied, type, options, live);
          Writer.checkAddress(call, type, object);
          OwnerReferences.dropRepeated(call, object);
          return object;
        };
    var outcome = writer.apply(call, type, operation, options, applying);
    return presenter.one(call, type, accept, outcome.code(), outcome.object());
  }

  /**
   * A patch that was read.
   *
   * @param edit what it makes of an object, before that is decoded
   */
  record Patch(Writer.Edit edit, PatchProblems problems) {}

  Patch read(Call call, ResourceType type) throws Refused {
    var body = call.request().body();
    return switch (Bodies.mediaType(call.request())) {
      case "application/merge-patch+json" -> {
        var document = Bodies.patch(body);
        var patch = document.tree();
        Writer.Edit edit =
            type.has(Trait.CUSTOM)
                ? stored -> MergePatch.apply(stored, patch) // its definition is read into all of it
                : stored -> MergePatch.sharing(stored, patch);
        yield new Patch(edit, new PatchProblems(document.duplicates(), null));
      }
      case "application/json-patch+json" -> {
        var duplicates = new ArrayList<String>();
        var operations = operations(body, duplicates);
        yield new Patch(
            stored -> jsonPatched(stored, operations),
            new PatchProblems(JsonPatch.problems(operations, duplicates), null));
      }
      case "application/strategic-merge-patch+json" -> {
        if (type.has(Trait.CUSTOM)) {
          throw new Refused(
              Bodies.unsupported(
                  "the body of the request was in an unknown format - accepted media types"
                      + " include: application/json-patch+json, application/merge-patch+json,"
                      + " application/apply-patch+yaml",
                  null));
        }
        var document = Bodies.strategicPatch(body);
        var patch = document.tree();
        yield new Patch(
            stored -> strategic(call.kinds().schema(), stored, patch, type),
            new PatchProblems(document.duplicates(), patch));
      }
      default ->
          throw new Refused(
              Bodies.unsupported("415: Unsupported Media Type", Status.Details.EMPTY));
    };
  }

  private static ObjectNode strategic(
      Schema schema, ObjectNode stored, ObjectNode patch, ResourceType type) throws Refused {
    try {
      return new StrategicMergePatch(schema)
          .apply(stored, patch, schema.kind(type.kind()).orElseThrow());
    } catch (StrategicMergePatch.BadPatch e) {
      throw new Refused(Status.plainError(String.valueOf(e.getMessage())));
    }
  }

  private static ObjectNode jsonPatched(ObjectNode stored, ArrayNode operations) throws Refused {
    try {
      if (JsonPatch.apply(stored, operations) instanceof ObjectNode object) {
        return object;
      }
    } catch (JsonPatch.CannotApply e) {
      throw rejected();
    }
    throw rejected();
  }

  private static Refused rejected() {
    return new Refused(
        new Status(
            422,
            Status.Reason.INVALID,
            "the server rejected our request due to an error in our request",
            Status.Details.EMPTY));
  }

  private static ArrayNode operations(byte[] body, List<String> duplicates) throws Refused {
    try {
      var read = Document.any(body, duplicates);
      if (read.isNull()) {
        return JsonNodeFactory.instance.arrayNode();
      }
      if (!(read instanceof ArrayNode operations)) {
        throw undecodable(wrongType(read, "value of type jsonpatch.Patch"));
      }
      for (var operation : operations) {
        checkTypes(operation);
      }
      if (operations.size() > MOST_OPERATIONS) {
        throw new Refused(
            Status.tooLarge(
                "The allowed maximum operations in a JSON patch is %d, got %d"
                    .formatted(MOST_OPERATIONS, operations.size())));
      }
      return operations;
    } catch (Undecodable e) {
      throw undecodable(Bodies.cause(e));
    }
  }

  private static void checkTypes(JsonNode operation) throws Refused {
    if (!operation.isObject() && !operation.isNull()) {
      throw undecodable(wrongType(operation, "value of type jsonpatch.Operation"));
    }
    for (var member : List.of("op", "path", "from")) {
      var value = operation.path(member);
      if (!value.isMissingNode() && !value.isNull() && !value.isTextual()) {
        throw undecodable(wrongType(value, "struct field ." + member + " of type string"));
      }
    }
  }

  private static String wrongType(JsonNode found, String place) {
    return "json: cannot unmarshal %s into Go %s".formatted(Decoder.jsonType(found), place);
  }

  private static Refused undecodable(String problem) {
    return Refused.badRequest("error decoding patch: " + problem);
  }
}
