package dev.regroup.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.cel.CelAuthorizer;
import dev.regroup.api.cel.CelVariables;
import dev.regroup.api.policy.MatchCriteria;
import dev.regroup.api.policy.MatchTarget;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.access.Identity;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One review in the words of policies and webhooks: the forms it can be seen in, the namespace it
 * is in, who asks. Parts are made when they are looked at. One thread.
 */
public final class SeenRequest {
  private final Review review;
  private final KindSet kinds;
  private final ObjectStore objects;
  private final ResourceType type;
  private @Nullable JsonNode namespace;
  private @Nullable List<Form> equivalents;

  /** The request seen as one for this resource: the one it names, or another form of it. */
  public record Form(ResourceType type, MatchTarget target) {}

  private SeenRequest(Review review, KindSet kinds, ObjectStore objects, ResourceType type) {
    this.review = review;
    this.kinds = kinds;
    this.objects = objects;
    this.type = type;
  }

  /** Empty for a review that no request caused. */
  public static Optional<SeenRequest> of(Review review, KindSet kinds, ObjectStore objects) {
    var kind = review.kind();
    var resource = review.request().resource();
    return kinds
        .catalog()
        .find(kind.group(), kind.version(), resource)
        .or(() -> kinds.catalog().find("", "v1", resource)) // whose part is of another group
        .map(type -> new SeenRequest(review, kinds, objects, type));
  }

  public Form requested() {
    return new Form(type, target());
  }

  private MatchTarget target() {
    return new MatchTarget(
        review.operation().wireName(),
        type.kind().group(),
        type.kind().version(),
        type.names().plural(),
        review.request().subresource(),
        namespaceName(),
        name());
  }

  /** The first form that the criteria are about: the requested one, or one that is as good. */
  public Optional<Form> formFor(MatchCriteria criteria) {
    var requested = requested();
    if (criteria.covers(requested.target())) {
      return criteria.includes(requested.target()) ? Optional.of(requested) : Optional.empty();
    }
    return criteria.equivalent()
        ? equivalents().stream().filter(form -> criteria.includes(form.target())).findFirst()
        : Optional.empty();
  }

  private List<Form> equivalents() {
    var known = equivalents;
    if (known != null) {
      return known;
    }
    var forms = new ArrayList<Form>();
    for (var other : kinds.catalog().all()) {
      if (!isType(other) && other.collection().equals(type.collection())) {
        var kind = other.kind();
        forms.add(
            new Form(other, target().as(kind.group(), kind.version(), other.names().plural())));
      }
    }
    equivalents = forms;
    return forms;
  }

  private boolean isType(ResourceType other) {
    return other.kind().equals(type.kind());
  }

  /** Whether the labels of the namespace and of the object are those the criteria want. */
  public boolean selectedBy(MatchCriteria criteria) {
    return criteria.selects(target(), this::namespace, object(), review.old());
  }

  private @Nullable ObjectNode object() {
    return review.operation() == Operation.DELETE ? null : review.object();
  }

  /** What would be stored; null when it goes. */
  public @Nullable ObjectNode object(Form form) {
    return as(form, object());
  }

  /** What is stored; null when it is new. */
  public @Nullable ObjectNode old(Form form) {
    return as(form, review.old());
  }

  private @Nullable ObjectNode as(Form form, @Nullable ObjectNode object) {
    if (object == null || isType(form.type())) {
      return object;
    }
    return form.type().conversion().toServed(type.conversion().toStored(object.deepCopy()));
  }

  /** An object of this form as the one that was requested. */
  public ObjectNode requested(Form form, ObjectNode object) {
    return isType(form.type())
        ? object
        : type.conversion().toServed(form.type().conversion().toStored(object));
  }

  public String name() {
    var old = review.old();
    var given = Meta.name(old == null ? review.object() : old);
    return given.isEmpty() ? review.request().name() : given;
  }

  /** Empty for objects of the cluster; of a namespace its own name. */
  public String namespaceName() {
    if (type.has(ResourceType.Trait.IS_NAMESPACE)) {
      return name();
    }
    var old = review.old();
    var given = Meta.text(old == null ? review.object() : old, "namespace");
    return given.isEmpty() ? review.request().namespace() : given;
  }

  /** The stored namespace of the object; missing for objects of the cluster. */
  public JsonNode namespace() {
    var found = namespace;
    if (found == null) {
      var name = namespaceName();
      found =
          name.isEmpty()
              ? MissingNode.getInstance()
              : objects
                  .find(kinds.core("namespaces"), "", name)
                  .<JsonNode>map(entry -> ObjectStore.tree(entry.value()))
                  .orElse(MissingNode.getInstance());
      namespace = found;
    }
    return found;
  }

  private Identity asker() {
    var asker = review.request().asker();
    return new Identity(asker.user(), asker.uid(), asker.groups(), asker.extra());
  }

  /** Gives expressions all they may look at but parameters and variables. */
  public CelVariables tell(CelVariables values, Form form, Authorizer authorizer) {
    var rights = new AskedAuthorizer(authorizer, asker());
    var target = form.target();
    return values
        .set("object", object(form))
        .set("oldObject", old(form))
        .set("request", facts(form))
        .set("namespaceObject", namespace())
        .authorizer("authorizer", rights)
        .resource(
            "authorizer.requestResource",
            rights,
            new CelAuthorizer.Question(
                "",
                "",
                "",
                target.group(),
                target.resource(),
                target.subresource(),
                target.namespace(),
                target.name()));
  }

  /** The {@code request} of expressions: all of an AdmissionRequest but uid and objects. */
  public ObjectNode facts(Form form) {
    var facts = Wire.object();
    kind(facts.putObject("kind"), form);
    resource(facts.putObject("resource"), form);
    var part = review.request().subresource();
    put(facts, "subResource", part);
    kind(facts.putObject("requestKind"), requested());
    resource(facts.putObject("requestResource"), requested());
    put(facts, "requestSubResource", part);
    put(facts, "name", name());
    put(facts, "namespace", namespaceName());
    facts.put("operation", review.operation().wireName());
    var asker = review.request().asker();
    var user = facts.putObject("userInfo");
    user.put("username", asker.user());
    put(user, "uid", asker.uid());
    var groups = user.putArray("groups");
    asker.groups().forEach(groups::add);
    if (!asker.extra().isEmpty()) {
      var extra = user.putObject("extra");
      asker.extra().forEach((key, values) -> values.forEach(extra.putArray(key)::add));
    }
    facts.put("dryRun", review.request().dryRun());
    facts.set("options", review.request().options().get());
    return facts;
  }

  private void kind(ObjectNode to, Form form) {
    var kind = isType(form.type()) ? review.kind() : form.type().kind();
    to.put("group", kind.group()).put("version", kind.version()).put("kind", kind.kind());
  }

  private static void resource(ObjectNode to, Form form) {
    var kind = form.type().kind();
    to.put("group", kind.group())
        .put("version", kind.version())
        .put("resource", form.type().names().plural());
  }

  private static void put(ObjectNode to, String field, String value) {
    if (!value.isEmpty()) {
      to.put(field, value);
    }
  }
}
