package dev.regroup.server.review;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Identity;
import dev.regroup.server.body.Bodies;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.rbac.StoredRoles;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.GoText;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.WriteParameters;
import java.time.InstantSource;
import java.util.List;

/** Finds the answer to a review by its kind. */
public final class Reviews {
  private final AccessReview access;
  private final TokenReview tokens;
  private final StoredRoles roles;
  private final Presenter presenter;
  private final InstantSource clock;

  public Reviews(
      AccessReview access,
      TokenReview tokens,
      StoredRoles roles,
      Presenter presenter,
      InstantSource clock) {
    this.access = access;
    this.tokens = tokens;
    this.roles = roles;
    this.presenter = presenter;
    this.clock = clock;
  }

  public Answer review(Call call, ResourceType type) throws Refused {
    var accept = presenter.acceptOne(call, type);
    var options = WriteParameters.of(call.query(), "CreateOptions");
    var asked = Bodies.part(call, type.kind(), options);
    var answer = Wire.object();
    answer.put("kind", type.kind().kind()).put("apiVersion", type.kind().apiVersion());
    answer.set("metadata", Meta.of(asked));
    asked
        .properties()
        .forEach(field -> {
          if (!answer.has(field.getKey())) {
            answer.set(field.getKey(), field.getValue());
          }
        });
    if (type.namespaced()) {
      var named = Meta.text(answer, "namespace");
      if (!named.isEmpty() && !named.equals(call.info().namespace())) {
        throw Refused.badRequest(
            "the namespace of the provided object does not match the namespace sent on the"
                + " request");
      }
      Meta.of(answer).put("namespace", call.info().namespace());
    }
    answer.set("status", status(call, type, answer));
    withoutEmptyTexts(answer.path("spec"));
    return presenter.one(call, type, accept, 201, Wire.write(answer));
  }

  private ObjectNode status(Call call, ResourceType type, ObjectNode review) throws Refused {
    return switch (type.kind().kind()) {
      case "SelfSubjectAccessReview" -> access.ofSelf(call.asker(), review);
      case "SubjectAccessReview" -> access.ofSubject(review);
      case "LocalSubjectAccessReview" -> access.ofSubjectIn(call.info().namespace(), review);
      case "SelfSubjectRulesReview" -> rules(call.asker(), review);
      case "SelfSubjectReview" -> self(call.asker(), review);
      case "TokenReview" -> tokens.status(review);
      default -> throw new IllegalStateException("no review: " + type.kind());
    };
  }

  private ObjectNode self(Identity asker, ObjectNode review) {
    Meta.of(review).put("creationTimestamp", Meta.stamp(clock.instant()));
    var status = Wire.object();
    status.set("userInfo", user(asker));
    return status;
  }

  /** Who somebody is, in the words of the API; what is not known is left out. */
  static ObjectNode user(Identity identity) {
    var user = Wire.object();
    user.put("username", identity.user());
    if (!identity.uid().isEmpty()) {
      user.put("uid", identity.uid());
    }
    if (!identity.groups().isEmpty()) {
      identity.groups().forEach(user.putArray("groups")::add);
    }
    if (!identity.extra().isEmpty()) {
      var extra = user.putObject("extra");
      identity.extra().forEach((key, values) -> values.forEach(extra.putArray(key)::add));
    }
    return user;
  }

  private ObjectNode rules(Identity asker, ObjectNode review) throws Refused {
    var namespace = Trees.text(review, "spec", "namespace");
    if (namespace.isEmpty()) {
      throw Refused.badRequest("no namespace on request");
    }
    if (review.get("spec") instanceof ObjectNode spec) {
      spec.remove("namespace"); // the answer does not repeat it
    }
    var held = roles.held(asker, namespace);
    var status = Wire.object();
    var ofResources = status.putArray("resourceRules");
    var ofPaths = status.putArray("nonResourceRules");
    for (var rule : held.rules()) {
      if (!rule.paths().isEmpty()) {
        ofPaths.add(rule.ofPaths().toTree());
      }
      if (!rule.apiGroups().isEmpty()) {
        ofResources.add(rule.ofResources().toTree());
      }
    }
    status.put("incomplete", !held.missing().isEmpty());
    if (!held.missing().isEmpty()) {
      status.put("evaluationError", GoText.aggregate(held.missing()));
    }
    return status;
  }

  /** Kubernetes leaves them out. */
  private static void withoutEmptyTexts(JsonNode tree) {
    if (tree instanceof ObjectNode object) {
      var empty =
          object
              .propertyStream()
              .filter(field -> field.getValue().isTextual() && field.getValue().asText().isEmpty())
              .map(java.util.Map.Entry::getKey)
              .toList();
      object.remove(empty);
      List.copyOf(object.properties()).forEach(field -> withoutEmptyTexts(field.getValue()));
    }
  }
}
