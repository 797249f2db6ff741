package dev.regroup.server.review;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Authorization;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.access.Identity;
import dev.regroup.server.wire.Refused;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** May somebody do something: the three reviews of access, which differ in whom they ask about. */
public record AccessReview(Authorizer authorizer) {
  private static final GroupVersionKind ANY =
      new GroupVersionKind("authorization.k8s.io", "v1", "");
  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final FieldPath OF_RESOURCE = SPEC.field("resourceAttributes");
  private static final FieldPath OF_PATH = SPEC.field("nonResourceAttributes");

  ObjectNode ofSelf(Identity asker, ObjectNode review) throws Refused {
    var errors = checkQuestion(review);
    checkMetadata(review, List.of(), errors);
    refuseIfAny(errors);
    return status(asker, review.path("spec"));
  }

  ObjectNode ofSubject(ObjectNode review) throws Refused {
    var errors = checkSubject(review);
    checkMetadata(review, List.of(), errors);
    refuseIfAny(errors);
    return status(subject(review.path("spec")), review.path("spec"));
  }

  ObjectNode ofSubjectIn(String namespace, ObjectNode review) throws Refused {
    var named = Trees.text(review, "metadata", "namespace");
    if (!named.isEmpty() && !named.equals(namespace)) {
      throw Refused.badRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
    var errors = checkSubject(review);
    checkMetadata(review, List.of("namespace"), errors);
    var spec = review.path("spec");
    if (spec.hasNonNull("resourceAttributes")) {
      var other = Trees.text(spec, "resourceAttributes", "namespace");
      if (!other.equals(namespace)) {
        errors.add(
            FieldError.invalid(
                OF_RESOURCE.field("namespace"), other, "must match metadata.namespace"));
      }
    }
    if (spec.hasNonNull("nonResourceAttributes")) {
      errors.add(
          FieldError.invalid(
              OF_PATH,
              FieldError.internal(spec.path("nonResourceAttributes")),
              "disallowed on this kind of request"));
    }
    refuseIfAny(errors);
    return status(subject(spec), spec);
  }

  private static List<FieldError> checkSubject(ObjectNode review) {
    var errors = checkQuestion(review);
    var spec = review.path("spec");
    if (Trees.text(spec, "user").isEmpty() && spec.path("groups").isEmpty()) {
      errors.add(
          FieldError.invalid(
              SPEC.field("user"), "", "at least one of user or group must be specified"));
    }
    return errors;
  }

  private static List<FieldError> checkQuestion(ObjectNode review) {
    var errors = new ArrayList<FieldError>();
    var spec = review.path("spec");
    boolean ofResource = spec.hasNonNull("resourceAttributes");
    boolean ofPath = spec.hasNonNull("nonResourceAttributes");
    if (ofResource && ofPath) {
      errors.add(
          FieldError.invalid(
              OF_PATH,
              FieldError.internal(spec.path("nonResourceAttributes")),
              "cannot be specified in combination with resourceAttributes"));
    } else if (!ofResource && !ofPath) {
      errors.add(
          FieldError.invalid(
              OF_RESOURCE,
              null,
              "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
    }
    for (String selector : List.of("fieldSelector", "labelSelector")) {
      if (spec.path("resourceAttributes").hasNonNull(selector)) {
        checkSelector(
            spec.path("resourceAttributes").path(selector), OF_RESOURCE.field(selector), errors);
      }
    }
    return errors;
  }

  /** A selector is one text or a list of requirements; an operator nobody knows may be new. */
  private static void checkSelector(JsonNode selector, FieldPath path, List<FieldError> errors) {
    var raw = Trees.text(selector, "rawSelector");
    var requirements = Trees.objects(selector, "requirements");
    FieldPath all = path.field("requirements");
    if (!raw.isEmpty() && !requirements.isEmpty()) {
      errors.add(
          FieldError.invalid(
              path.field("rawSelector"),
              raw,
              "may not specified at the same time as requirements"));
    } else if (raw.isEmpty() && requirements.isEmpty()) {
      errors.add(
          FieldError.required(
              all,
              "when %s is specified, requirements or rawSelector is required".formatted(path)));
    }
    for (int i = 0; i < requirements.size(); i++) {
      checkRequirement(requirements.get(i), all.index(i), errors);
    }
  }

  private static void checkRequirement(
      ObjectNode requirement, FieldPath path, List<FieldError> errors) {
    boolean values = !requirement.path("values").isEmpty();
    switch (Trees.text(requirement, "operator")) {
      case "In", "NotIn" -> {
        if (!values) {
          errors.add(
              FieldError.required(
                  path.field("values"), "must be specified when `operator` is 'In' or 'NotIn'"));
        }
      }
      case "Exists", "DoesNotExist" -> {
        if (values) {
          errors.add(
              FieldError.forbidden(
                  path.field("values"),
                  "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
        }
      }
      default -> {} // of a later version
    }
    var key = Trees.text(requirement, "key");
    if (path.toString().contains(".labelSelector.")) {
      NameRules.qualified(key)
          .forEach(problem -> errors.add(FieldError.invalid(path.field("key"), key, problem)));
    } else if (key.isEmpty()) {
      errors.add(FieldError.required(path.field("key"), "must be specified"));
    }
  }

  private static void checkMetadata(
      ObjectNode review, List<String> allowed, List<FieldError> errors) {
    var metadata = ((ObjectNode) review.path("metadata")).deepCopy();
    metadata.remove("managedFields");
    metadata.remove(allowed);
    if (!metadata.isEmpty()) {
      errors.add(
          FieldError.invalid(
              FieldPath.of("metadata"), FieldError.internal(metadata), "must be empty"));
    }
  }

  private static void refuseIfAny(List<FieldError> errors) throws Refused {
    if (!errors.isEmpty()) {
      throw new Refused(RefusalStatus.invalid(ANY, "", errors), List.of());
    }
  }

  private static Identity subject(JsonNode spec) {
    return new Identity(
        Trees.text(spec, "user"),
        Trees.text(spec, "uid"),
        Trees.texts(spec, "groups"),
        extra(spec.path("extra")));
  }

  private static Map<String, List<String>> extra(JsonNode extra) {
    var all = new TreeMap<String, List<String>>();
    Trees.keys(extra).forEach(key -> all.put(key, Trees.texts(extra, key)));
    return all;
  }

  private ObjectNode status(Identity identity, JsonNode spec) {
    var decision = authorizer.decide(wanted(identity, spec));
    var status = Wire.object();
    status.put("allowed", decision instanceof Authorization.Allow);
    if (decision instanceof Authorization.Deny) {
      status.put("denied", true);
    }
    if (!decision.reason().isEmpty()) {
      status.put("reason", decision.reason());
    }
    return status;
  }

  private static Attributes wanted(Identity identity, JsonNode spec) {
    var resource = spec.path("resourceAttributes");
    if (!resource.isObject()) {
      var path = spec.path("nonResourceAttributes");
      return Attributes.ofPath(identity, Trees.text(path, "verb"), Trees.text(path, "path"));
    }
    return new Attributes(
        identity,
        Trees.text(resource, "verb"),
        Trees.text(resource, "group"),
        Trees.text(resource, "version"),
        Trees.text(resource, "resource"),
        Trees.text(resource, "subresource"),
        Trees.text(resource, "namespace"),
        Trees.text(resource, "name"),
        "");
  }
}
