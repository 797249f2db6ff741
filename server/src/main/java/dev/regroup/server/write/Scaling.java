package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.structural.ScalePaths;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.body.Bodies;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Accept;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.WriteParameters;
import java.util.List;

/**
 * The {@code scale} part of custom kinds: how many replicas an object wants and has, in the form
 * that all scalable kinds share. A write of it is a write of the object.
 */
public final class Scaling {
  private static final GroupVersionKind KIND = new GroupVersionKind("autoscaling", "v1", "Scale");

  private final ObjectStore objects;
  private final Writer writer;
  private final Patcher patcher;

  public Scaling(ObjectStore objects, Writer writer, Patcher patcher) {
    this.objects = objects;
    this.writer = writer;
    this.patcher = patcher;
  }

  public Answer get(Call call, ResourceType type) throws Refused {
    var entry = objects.get(type, call.info().namespace(), call.info().name());
    var object = ObjectStore.tree(entry.value());
    if (ScalePaths.at(object, paths(type).replicas()) == null) {
      throw new Refused(
          Status.internalError(
              "the spec replicas field \"" + paths(type).replicas() + "\" does not exist"));
    }
    return answer(call, type, object);
  }

  public Answer update(Call call, ResourceType type) throws Refused, InterruptedException {
    var options = WriteParameters.of(call.query(), "UpdateOptions");
    var wanted = wanted(call, options);
    Writer.checkAddress(call, type, wanted);
    return change(call, type, options, _ -> wanted);
  }

  public Answer patch(Call call, ResourceType type) throws Refused, InterruptedException {
    var options = WriteParameters.of(call.query(), "PatchOptions");
    var patch = patcher.read(call, type);
    Writer.Edit edit =
        scale -> {
          var patched = patch.edit().apply(scale);
          checkFields(call, options, patched);
          return patched;
        };
    return change(call, type, options, edit);
  }

  /** A scale that cannot be read is one that Kubernetes' server for custom kinds does not know. */
  private static ObjectNode wanted(Call call, WriteParameters options) throws Refused {
    try {
      return Bodies.part(call, KIND, options);
    } catch (Refused refused) {
      throw refused.code() == 400
          ? Refused.badRequest("no kind is registered for the type v1.Scale in scheme \"api\"")
          : refused;
    }
  }

  private static void checkFields(Call call, WriteParameters options, ObjectNode scale)
      throws Refused {
    var unknown =
        Trees.keys(scale, "spec").stream()
            .filter(field -> !field.equals("replicas"))
            .map(field -> "unknown field \"spec." + field + "\"")
            .toList();
    switch (options.fieldValidation()) {
      case IGNORE -> {}
      case WARN -> call.warn(unknown);
      case STRICT -> {
        if (!unknown.isEmpty()) {
          throw Refused.badRequest("strict decoding error: " + String.join(", ", unknown));
        }
      }
    }
  }

  private Answer change(Call call, ResourceType type, WriteParameters options, Writer.Edit edit)
      throws Refused, InterruptedException {
    Writer.Edit whole =
        stored -> {
          var object = stored.deepCopy();
          var wanted = edit.apply(scale(type, object));
          var replicas = wanted.path("spec").path("replicas");
          if (!replicas.isMissingNode() && !replicas.isNull() && !replicas.canConvertToInt()) {
            throw Refused.badRequest("spec.replicas must be an integer");
          }
          paths(type).scale(object, replicas.asInt(0));
          var version = Meta.text(wanted, "resourceVersion");
          Meta.of(object).put("resourceVersion", version);
          return object;
        };
    var stored = writer.change(call, type, Operation.UPDATE, options, whole);
    return answer(call, type, ObjectStore.tree(stored));
  }

  private static Answer answer(Call call, ResourceType type, ObjectNode object) throws Refused {
    var accept = Accept.choose(call.request().headers().all("accept"), Accept.OBJECT_ONLY);
    if (accept == null) {
      throw new Refused(Accept.notAcceptable());
    }
    return Presenter.tree(call, accept, 200, scale(type, object));
  }

  private static ScalePaths paths(ResourceType type) {
    var paths = type.custom().orElseThrow().scale();
    if (paths == null) {
      throw new IllegalStateException(type.groupResource() + " has no scale");
    }
    return paths;
  }

  private static ObjectNode scale(ResourceType type, ObjectNode object) {
    var paths = paths(type);
    var scale = Wire.object();
    scale.put("kind", KIND.kind()).put("apiVersion", KIND.apiVersion());
    var metadata = scale.putObject("metadata");
    for (String field :
        List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
      Trees.carry(Meta.of(object), metadata, field);
    }
    var spec = scale.putObject("spec");
    int wanted = count(object, paths.replicas());
    if (wanted != 0) {
      spec.put("replicas", wanted);
    }
    var status = scale.putObject("status").put("replicas", count(object, paths.ready()));
    var selector = paths.selector().isEmpty() ? null : ScalePaths.at(object, paths.selector());
    if (selector != null) {
      status.put("selector", selector.asText());
    }
    return scale;
  }

  private static int count(ObjectNode object, String path) {
    var value = ScalePaths.at(object, path);
    return value == null ? 0 : value.asInt(0);
  }
}
