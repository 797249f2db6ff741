package dev.regroup.api.admission.core;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.KnownFields;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.KindAdmission;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/** Admission of every kind that has no package of its own. */
public final class CoreAdmission implements KindAdmission {

  private static final FieldPath SPEC = FieldPath.of("spec");

  private final Gates gates;

  public CoreAdmission(Gates gates) {
    this.gates = gates;
  }

  @Override
  public Admitted fill(Review review) {
    if (review.operation() != Operation.UPDATE_STATUS) {
      rules(review.kind()).fill(review.object());
    }
    return review.unchanged();
  }

  @Override
  public Admitted judge(Review review, Lookup lookup) {
    KindRules rules = rules(review.kind());
    if (review.operation() != Operation.UPDATE_STATUS) {
      rules.complete(review.object());
    }
    // Refusals of both kinds of events name the core one.
    var named =
        review.kind().group().equals("events.k8s.io")
            ? new Review(
                new GroupVersionKind("", "v1", "Event"),
                review.operation(),
                review.object(),
                review.old())
            : review;
    return review.operation() == Operation.CREATE
        ? create(review.kind(), named, rules)
        : update(named, rules);
  }

  private static KindRules rules(GroupVersionKind kind) {
    return switch (kind.group() + "/" + kind.kind()) {
      case "/ConfigMap" -> new ConfigMapRules();
      case "/Secret" -> new SecretRules();
      case "/Service" -> new ServiceRules();
      case "/ServiceAccount" -> new AccountRules();
      case "/Namespace" -> new NamespaceRules();
      case "/Node" -> new NodeRules();
      case "/Endpoints" -> new EndpointsRules();
      case "/Event" -> new EventRules();
      case "events.k8s.io/Event" -> new NewEventRules();
      case "/PersistentVolumeClaim" -> new ClaimRules();
      case "coordination.k8s.io/Lease" -> new LeaseRules();
      case "discovery.k8s.io/EndpointSlice" -> new EndpointSliceRules();
      case "scheduling.k8s.io/PriorityClass" -> new PriorityClassRules();
      case "rbac.authorization.k8s.io/Role" -> new RoleRules(RoleRules.Reach.NAMESPACE);
      case "rbac.authorization.k8s.io/ClusterRole" -> new RoleRules(RoleRules.Reach.CLUSTER);
      case "rbac.authorization.k8s.io/RoleBinding" ->
          new RoleBindingRules(RoleRules.Reach.NAMESPACE);
      case "rbac.authorization.k8s.io/ClusterRoleBinding" ->
          new RoleBindingRules(RoleRules.Reach.CLUSTER);
      case "/ResourceQuota" -> new QuotaRules();
      case "admissionregistration.k8s.io/ValidatingAdmissionPolicy" -> new PolicyRules();
      case "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding" ->
          new PolicyBindingRules();
      case "admissionregistration.k8s.io/ValidatingWebhookConfiguration" ->
          new WebhookRules(WebhookRules.Power.VALIDATES);
      case "admissionregistration.k8s.io/MutatingWebhookConfiguration" ->
          new WebhookRules(WebhookRules.Power.MUTATES);
      default -> KindRules.NONE;
    };
  }

  private Admitted create(GroupVersionKind asked, Review review, KindRules rules) {
    ObjectNode object = review.object();
    ObjectNode metadata = Trees.child(object, "metadata");
    if (rules.hasGeneration()) { // others keep what the request says
      metadata.put("generation", 1);
    }
    if (rules.hasStatus() && !rules.keepsFirstStatus()) {
      object.remove("status");
    }
    rules.begin(object);
    var errors = new ArrayList<FieldError>(Metadata.create(asked, metadata));
    errors.addAll(rules.check(object, null));
    var warnings = new ArrayList<String>();
    if (errors.isEmpty()) {
      warnings.addAll(rules.warnings(object));
      warnings.addAll(fields(review.kind(), object));
    }
    return review.judge(object, warnings, errors);
  }

  private List<String> fields(GroupVersionKind kind, ObjectNode object) {
    var spec = object.path("spec");
    return switch (kind.group() + "/" + kind.kind()) {
      case "/Service" -> KnownFields.of(gates, KnownFields.Type.SERVICE, spec, SPEC);
      case "/PersistentVolumeClaim" -> KnownFields.of(gates, KnownFields.Type.CLAIM, spec, SPEC);
      default -> List.of();
    };
  }

  private static Admitted update(Review review, KindRules rules) {
    ObjectNode old = requireNonNull(review.old(), "old");
    ObjectNode object = review.object();
    boolean status = review.operation() == Operation.UPDATE_STATUS;
    if (status) {
      ObjectNode wanted = object;
      object = old.deepCopy();
      Trees.carry(wanted, object, "status");
      Trees.carry(wanted, object, "metadata");
      rules.fill(object);
      rules.complete(object);
    } else {
      if (rules.hasStatus()) {
        Trees.carry(old, object, "status");
      }
      rules.keep(object, old);
    }
    ObjectNode metadata = Trees.child(object, "metadata");
    Metadata.keep(metadata, Trees.child(old.deepCopy(), "metadata"));
    List<FieldError> errors =
        new ArrayList<>(Metadata.update(review.kind(), metadata, old.path("metadata")));
    errors.addAll(status ? rules.checkStatus(object, old) : rules.check(object, old));
    if (rules.movesGeneration(object, old)) {
      Trees.putNumber(metadata, "generation", metadata.path("generation").asLong(0) + 1);
    }
    boolean warns = errors.isEmpty() && !status; // a status is no business of who reads warnings
    return review.judge(object, warns ? rules.warnings(object) : List.of(), errors);
  }
}
