package dev.regroup.server.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.protobuf.ProtobufCodec;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Undecodable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What a delete says about itself, in its body or else in its query. */
public record DeleteParameters(
    OptionalLong gracePeriod,
    Optional<Propagation> propagation,
    String uid,
    String resourceVersion,
    boolean dryRun) {

  /** What happens to objects that name the deleted one as their owner. */
  public enum Propagation {
    ORPHAN,
    BACKGROUND,
    FOREGROUND
  }

  private static final GroupVersionKind KIND = new GroupVersionKind("", "v1", "DeleteOptions");

  private static final long LEAST_GRACE = 1; // seconds; what a negative grace means

  public static final DeleteParameters NONE =
      new DeleteParameters(OptionalLong.empty(), Optional.empty(), "", "", false);

  public static DeleteParameters of(RequestQuery query, byte[] body) throws Refused {
    if (body.length == 0) {
      return of(
          query.number("gracePeriodSeconds"),
          query.text("propagationPolicy"),
          query.first("orphanDependents"),
          "",
          "",
          query.all("dryRun"));
    }
    return of(parse(body));
  }

  /** From an object of kind {@code DeleteParameters}. */
  public static DeleteParameters of(ObjectNode options) throws Refused {
    var preconditions = options.path("preconditions");
    var dryRun = new ArrayList<String>();
    options.path("dryRun").forEach(value -> dryRun.add(value.asText()));
    var grace = options.path("gracePeriodSeconds");
    return of(
        grace.isNumber() ? OptionalLong.of(grace.asLong()) : OptionalLong.empty(),
        options.path("propagationPolicy").asText(""),
        options.hasNonNull("orphanDependents")
            ? Optional.of(options.path("orphanDependents").asText())
            : Optional.empty(),
        preconditions.path("uid").asText(""),
        preconditions.path("resourceVersion").asText(""),
        dryRun);
  }

  public DeleteParameters with(Propagation policy) {
    return new DeleteParameters(gracePeriod, Optional.of(policy), uid, resourceVersion, dryRun);
  }

  public DeleteParameters withVersion(String version) {
    return new DeleteParameters(gracePeriod, propagation, uid, version, dryRun);
  }

  /** The same, without an effect. */
  public DeleteParameters dry() {
    return new DeleteParameters(gracePeriod, propagation, uid, resourceVersion, true);
  }

  private static DeleteParameters of(
      OptionalLong grace,
      String policy,
      Optional<String> orphan,
      String uid,
      String resourceVersion,
      List<String> dryRun)
      throws Refused {
    var errors = new ArrayList<FieldError>();
    var path = FieldPath.of("propagationPolicy");
    if (orphan.isPresent() && !policy.isEmpty()) {
      errors.add(
          FieldError.invalid(
              path, policy, "orphanDependents and deletionPropagation cannot be both set"));
    }
    Optional<Propagation> propagation =
        switch (policy) {
          case "" ->
              orphan.map(text ->
                  text.equalsIgnoreCase("false") || text.equals("0")
                      ? Propagation.BACKGROUND
                      : Propagation.ORPHAN);
          case "Orphan" -> Optional.of(Propagation.ORPHAN);
          case "Background" -> Optional.of(Propagation.BACKGROUND);
          case "Foreground" -> Optional.of(Propagation.FOREGROUND);
          default -> {
            errors.add(
                FieldError.notSupported(
                    path, policy, List.of("Foreground", "Background", "Orphan", "nil")));
            yield Optional.empty();
          }
        };
    boolean dry = WriteParameters.dryRun(dryRun, errors);
    WriteParameters.refuseIfAny(errors, "DeleteOptions");
    var seconds = grace.isPresent() && grace.getAsLong() < 0 ? OptionalLong.of(LEAST_GRACE) : grace;
    return new DeleteParameters(seconds, propagation, uid, resourceVersion, dry);
  }

  private static ObjectNode parse(byte[] body) throws Refused {
    ObjectNode tree;
    try {
      tree =
          ProtobufCodec.recognizes(body)
              ? ProtobufCodec.read(body, KIND).tree()
              : Document.parse(body).tree();
    } catch (Undecodable e) {
      throw Refused.badRequest(String.valueOf(e.getMessage()));
    }
    var kind = tree.path("kind").asText("");
    if (!kind.isEmpty() && !kind.equals("DeleteOptions")) {
      throw Refused.badRequest(
          "no kind "
              + GoText.quote(kind)
              + " is registered for version "
              + GoText.quote(tree.path("apiVersion").asText(""))
              + " in scheme \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\"");
    }
    JsonNode grace = tree.path("gracePeriodSeconds");
    if (!grace.isMissingNode() && !grace.isNull() && !grace.isIntegralNumber()) {
      throw Refused.badRequest(
          "json: cannot unmarshal "
              + (grace.isTextual()
                  ? "string"
                  : grace.getNodeType().name().toLowerCase(java.util.Locale.ROOT))
              + " into Go struct field DeleteOptions.gracePeriodSeconds of type int64");
    }
    return tree;
  }
}
