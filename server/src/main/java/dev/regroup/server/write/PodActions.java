package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.body.Bodies;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.DeleteParameters;
import dev.regroup.server.wire.GroupResource;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.WriteParameters;
import java.time.InstantSource;
import java.util.Set;

/** What can be asked of a pod beside reading and writing it: bind it to a node, evict it. */
public final class PodActions {
  private static final GroupVersionKind BINDING = new GroupVersionKind("", "v1", "Binding");
  private static final GroupVersionKind EVICTION = new GroupVersionKind("policy", "v1", "Eviction");
  private static final GroupResource PODS_BINDING = new GroupResource("", "pods/binding");

  private final ObjectStore objects;
  private final AdmissionGate rules;
  private final Writer writer;
  private final Remover remover;
  private final InstantSource clock;
  private final ResourceType pods;

  /** What the actions work with. */
  public record Parts(
      ObjectStore objects,
      AdmissionGate rules,
      Writer writer,
      Remover remover,
      InstantSource clock) {}

  public PodActions(Parts parts, ResourceType pods) {
    this.objects = parts.objects();
    this.rules = parts.rules();
    this.writer = parts.writer();
    this.remover = parts.remover();
    this.clock = parts.clock();
    this.pods = pods;
  }

  /** Binds the pod of the address, or, without one, the pod the binding names. */
  public Answer bind(Call call) throws Refused, InterruptedException {
    var options = WriteParameters.of(call.query(), "CreateOptions");
    var binding = Bodies.part(call, BINDING, options);
    var name = call.info().name().isEmpty() ? Meta.name(binding) : call.info().name();
    if (!Meta.name(binding).equals(name)) {
      throw Refused.badRequest("name in URL does not match name in Binding object");
    }
    var target = binding.path("target");
    var kind = target.path("kind").asText("");
    if (!kind.isEmpty() && !kind.equals("Node")) {
      throw new Refused(
          Status.plainError(
              "target.kind: Unsupported value: \""
                  + kind
                  + "\": supported values: \"Node\", \"<empty>\""));
    }
    var node = target.path("name").asText("");
    if (node.isEmpty()) {
      throw new Refused(Status.plainError("target.name: Required value"));
    }
    rules.admitAct(call, pods, BINDING, binding);
    while (!tryBind(call.info().namespace(), name, node, binding, options)) {
      // another write came first: look at the pod again
    }
    return success(call);
  }

  private boolean tryBind(
      String namespace, String name, String node, ObjectNode binding, WriteParameters options)
      throws Refused, InterruptedException {
    var entry = objects.get(pods, namespace, name);
    var old = ObjectStore.tree(entry.value());
    checkBindable(old, binding);
    var pod = old.deepCopy();
    ((ObjectNode) pod.path("spec")).put("nodeName", node);
    copyTexts(binding, pod, "annotations");
    copyTexts(binding, pod, "labels");
    setScheduled(pod);
    return writer.commit(pods, entry, old, pod, options) != null;
  }

  private static void checkBindable(ObjectNode pod, ObjectNode binding) throws Refused {
    var name = Meta.name(pod);
    var uid = Meta.uid(binding);
    if (!uid.isEmpty() && !uid.equals(Meta.uid(pod))) {
      throw cannotBind(
          name,
          "Precondition failed: UID in precondition: "
              + uid
              + ", UID in object meta: "
              + Meta.uid(pod));
    }
    if (Meta.deleted(pod)) {
      throw cannotBind(name, "pod " + name + " is being deleted, cannot be assigned to a host");
    }
    var assigned = pod.path("spec").path("nodeName").asText("");
    if (!assigned.isEmpty()) {
      throw cannotBind(name, "pod " + name + " is already assigned to node \"" + assigned + "\"");
    }
    if (!pod.path("spec").path("schedulingGates").isEmpty()) {
      throw cannotBind(name, "pod " + name + " has non-empty .spec.schedulingGates");
    }
  }

  private static Refused cannotBind(String name, String problem) {
    return new Refused(Status.conflict(PODS_BINDING, name, problem));
  }

  private static void copyTexts(ObjectNode from, ObjectNode to, String field) {
    if (from.path("metadata").get(field) instanceof ObjectNode texts) {
      var metadata = Meta.of(to);
      var target =
          metadata.get(field) instanceof ObjectNode there ? there : metadata.putObject(field);
      target.setAll(texts);
    }
  }

  private void setScheduled(ObjectNode pod) {
    setTrue(pod, "PodScheduled");
  }

  /** Makes the condition true, whatever it was before, and returns it. */
  private ObjectNode setTrue(ObjectNode pod, String type) {
    var status = pod.get("status") instanceof ObjectNode there ? there : pod.putObject("status");
    var conditions = status.withArray("conditions");
    var since = Meta.stamp(clock.instant());
    for (int i = conditions.size() - 1; i >= 0; i--) {
      var before = conditions.get(i);
      if (before.path("type").asText().equals(type)) {
        boolean already = before.path("status").asText().equals("True");
        since = already ? before.path("lastTransitionTime").asText(since) : since;
        conditions.remove(i);
      }
    }
    return conditions
        .addObject()
        .put("type", type)
        .put("status", "True")
        .put("lastTransitionTime", since);
  }

  /**
   * Deletes the pod; without disruption budgets nothing can speak against it. Before that its
   * status says why, so that whoever counts failures can leave this one out.
   */
  public Answer evict(Call call) throws Refused, InterruptedException {
    var options = WriteParameters.of(call.query(), "CreateOptions");
    var eviction = Bodies.part(call, EVICTION, Set.of("policy/v1beta1"), options);
    var info = call.info();
    if (!Meta.name(eviction).equals(info.name())) {
      throw Refused.badRequest("name in URL does not match name in Eviction object");
    }
    Writer.checkAddress(call, pods, eviction);
    var how =
        eviction.get("deleteOptions") instanceof ObjectNode some
            ? DeleteParameters.of(some)
            : DeleteParameters.NONE;
    if (options.dryRun()) {
      how = how.dry();
    }
    rules.admitAct(call, pods, EVICTION, eviction);
    if (!how.dryRun()) {
      how = disrupt(info.namespace(), info.name(), how, options);
    }
    remover.remove(pods, info.namespace(), info.name(), how, _ -> {});
    return success(call);
  }

  /** What is left to require of the pod that is deleted: its version is another now. */
  private DeleteParameters disrupt(
      String namespace, String name, DeleteParameters how, WriteParameters options)
      throws Refused, InterruptedException {
    while (true) {
      var entry = objects.get(pods, namespace, name);
      var old = ObjectStore.tree(entry.value());
      Remover.checkPreconditions(pods, entry, old, how);
      var pod = old.deepCopy();
      setTrue(pod, "DisruptionTarget")
          .put("reason", "EvictionByEvictionAPI")
          .put("message", "Eviction API: evicting");
      var written = writer.commit(pods, entry, old, pod, options);
      if (written != null) {
        return how.resourceVersion().isEmpty()
            ? how
            : how.withVersion(Meta.text(ObjectStore.tree(written), "resourceVersion"));
      }
    }
  }

  private static Answer success(Call call) {
    var status = Wire.object();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    status.put("status", "Success").put("code", 201);
    return Presenter.status(call, 201, status);
  }
}
