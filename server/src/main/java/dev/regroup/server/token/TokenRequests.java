package dev.regroup.server.token;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.body.Bodies;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.token.TokenClaims.Bound;
import dev.regroup.server.token.TokenClaims.BoundKind;
import dev.regroup.server.token.TokenClaims.Ref;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.GroupResource;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.WriteParameters;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The {@code token} part of service accounts: makes tokens for whoever may ask. */
public final class TokenRequests {
  private static final GroupVersionKind KIND =
      new GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest");
  private static final Duration SHORTEST = Duration.ofMinutes(10);
  private static final Duration USUAL = Duration.ofHours(1);
  private static final long LONGEST_SECONDS = 1L << 32;

  private final Supplier<TokenKeys> keys;
  private final ObjectStore objects;
  private final Presenter presenter;
  private final InstantSource clock;
  private final RandomGenerator random;

  public TokenRequests(
      Supplier<TokenKeys> keys,
      ObjectStore objects,
      Presenter presenter,
      InstantSource clock,
      RandomGenerator random) {
    this.keys = keys;
    this.objects = objects;
    this.presenter = presenter;
    this.clock = clock;
    this.random = random;
  }

  public Answer request(Call call, ResourceType accounts) throws Refused {
    var accept = presenter.acceptOne(call, accounts);
    var options = WriteParameters.of(call.query(), "CreateOptions");
    var asked = Bodies.part(call, KIND, options);
    var info = call.info();
    var account = ObjectStore.tree(objects.get(accounts, info.namespace(), info.name()).value());
    checkPlace(asked, info.namespace(), info.name());
    var lasting = lasting(asked);
    checkNode(call, accounts, asked);
    var claims = claims(call.kinds(), account, asked, lasting);
    var answer = Wire.object();
    answer.put("kind", KIND.kind()).put("apiVersion", KIND.apiVersion());
    answer
        .putObject("metadata")
        .put("name", info.name())
        .put("namespace", info.namespace())
        .put("uid", Meta.newUid(random))
        .put("creationTimestamp", Meta.stamp(clock.instant()));
    var spec = answer.putObject("spec");
    claims.audiences().forEach(spec.putArray("audiences")::add);
    spec.put("expirationSeconds", lasting.toSeconds());
    if (asked.path("spec").path("boundObjectRef") instanceof ObjectNode bound) {
      spec.set("boundObjectRef", bound);
    }
    answer
        .putObject("status")
        .put("token", claims.signed(keys.get()))
        .put("expirationTimestamp", Meta.stamp(claims.expires()));
    return presenter.one(call, accounts, accept, 201, Wire.write(answer));
  }

  /** A request may say for which account it is, if that is so. */
  private static void checkPlace(ObjectNode asked, String namespace, String name) throws Refused {
    var otherNamespace = Trees.text(asked, "metadata", "namespace");
    if (!otherNamespace.isEmpty() && !otherNamespace.equals(namespace)) {
      throw Refused.badRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
    var otherName = Trees.text(asked, "metadata", "name");
    if (!otherName.isEmpty() && !otherName.equals(name)) {
      var error =
          FieldError.invalid(
              FieldPath.of("metadata", "name"),
              otherName,
              "must match the service account name if specified");
      throw new Refused(RefusalStatus.invalid(KIND, name, List.of(error)), List.of());
    }
  }

  private static Duration lasting(ObjectNode asked) throws Refused {
    var wanted = Trees.number(asked, "spec", "expirationSeconds");
    if (wanted.isEmpty()) {
      return USUAL;
    }
    long seconds = wanted.getAsLong();
    var problem =
        seconds < SHORTEST.toSeconds()
            ? "may not specify a duration less than 10 minutes"
            : seconds > LONGEST_SECONDS
                ? "may not specify a duration larger than 2^32 seconds"
                : "";
    if (!problem.isEmpty()) {
      var error = FieldError.invalid(FieldPath.of("spec", "expirationSeconds"), seconds, problem);
      throw new Refused(RefusalStatus.invalid(KIND, "", List.of(error)), List.of());
    }
    return Duration.ofSeconds(seconds);
  }

  private TokenClaims claims(KindSet kinds, ObjectNode account, ObjectNode asked, Duration lasting)
      throws Refused {
    var namespace = Meta.text(account, "namespace");
    var audiences = Trees.texts(asked, "spec", "audiences");
    var now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    Bound bound = null;
    Ref node = null;
    if (asked.path("spec").path("boundObjectRef") instanceof ObjectNode ref) {
      var kind = kind(ref);
      var object = object(kinds, kind, namespace, ref);
      bound = new Bound(kind, ref(object));
      switch (kind) {
        case POD -> {
          checkAccount(account, object);
          node = node(kinds, Trees.text(object, "spec", "nodeName"));
        }
        case NODE -> node = bound.ref();
        case SECRET -> {} // is nowhere
      }
    }
    return new TokenClaims(
        Meta.newUid(random),
        audiences.isEmpty() ? List.of(TokenClaims.ISSUER) : audiences,
        now,
        now.plus(lasting),
        ref(account),
        bound,
        node,
        namespace);
  }

  /** A node gets tokens for its pods and for nothing else. */
  private void checkNode(Call call, ResourceType accounts, ObjectNode asked) throws Refused {
    var node = call.asker().nodeName();
    if (node.isEmpty()) {
      return;
    }
    var ref = asked.path("spec").path("boundObjectRef");
    if (!(ref instanceof ObjectNode bound) || kind(bound) != BoundKind.POD) {
      throw forbidden(call, accounts, "node requested token not bound to a pod");
    }
    var pod = object(call.kinds(), BoundKind.POD, call.info().namespace(), bound);
    if (!Trees.text(pod, "spec", "nodeName").equals(node.get())) {
      throw forbidden(
          call, accounts, "node requested token bound to a pod scheduled on a different node");
    }
  }

  private static Refused forbidden(Call call, ResourceType accounts, String why) {
    return new Refused(Status.forbidden(accounts.groupResource(), call.info().name(), why));
  }

  private static BoundKind kind(JsonNode ref) throws Refused {
    var version = Trees.text(ref, "apiVersion");
    var kind = Trees.text(ref, "kind");
    for (var known : BoundKind.values()) {
      if (!version.contains("/") && kind.equalsIgnoreCase(known.name())) {
        return known;
      }
    }
    var slash = version.indexOf('/');
    throw Refused.badRequest(
        "cannot bind token to object of type %s, Kind=%s"
            .formatted(slash < 0 ? "/" + version : version, kind));
  }

  private ObjectNode object(KindSet kinds, BoundKind kind, String namespace, ObjectNode ref)
      throws Refused {
    var type = kinds.core(kind.plural());
    var name = Trees.text(ref, "name");
    if (name.isEmpty()) {
      throw Refused.badRequest("Name parameter required.");
    }
    var object = ObjectStore.tree(objects.get(type, namespace, name).value());
    var uid = Trees.text(ref, "uid");
    if (!uid.isEmpty() && !uid.equals(Meta.uid(object))) {
      throw new Refused(
          Status.conflict(
              new GroupResource("", type.kind().kind()),
              name,
              ("the UID in the bound object reference (%s) does not match the UID in record. The"
                      + " object might have been deleted and then recreated")
                  .formatted(uid)));
    }
    return object;
  }

  private static void checkAccount(ObjectNode account, ObjectNode pod) throws Refused {
    var name = Meta.name(account);
    if (!Trees.text(pod, "spec", "serviceAccountName").equals(name)) {
      throw Refused.badRequest(
          ("cannot bind token for serviceaccount \"%s\" to pod running with different"
                  + " serviceaccount name.")
              .formatted(name));
    }
  }

  private @Nullable Ref node(KindSet kinds, String name) {
    return name.isEmpty()
        ? null
        : objects
            .find(kinds.core("nodes"), "", name)
            .map(entry -> ref(ObjectStore.tree(entry.value())))
            .orElse(null);
  }

  private static Ref ref(ObjectNode object) {
    return new Ref(Meta.name(object), Meta.uid(object));
  }
}
