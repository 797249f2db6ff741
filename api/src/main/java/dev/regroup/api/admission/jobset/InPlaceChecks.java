package dev.regroup.api.admission.jobset;

import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.pod.AgentMarks;
import dev.regroup.api.tree.Trees;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What in-place restarts demand of one replicated Job (JS-55 to JS-57a). */
final class InPlaceChecks {

  private InPlaceChecks() {}

  static void check(ObjectNode jobSet, ObjectNode job, FieldPath jobPath, List<FieldError> errors) {
    JsonNode spec = Trees.at(job, "template", "spec");
    FieldPath path = jobPath.field("template", "spec");
    String prefix = "replicatedJob " + Trees.text(job, "name") + ": ";
    if (Trees.number(spec, "backoffLimit").orElse(0) != Integer.MAX_VALUE) {
      errors.add(
          invalid(
              path.field("backoffLimit"),
              orNull(spec.path("backoffLimit")),
              prefix + "must be set to 2147483647 (MaxInt32) when in-place restart is enabled"));
    }
    if (!Trees.text(spec, "podReplacementPolicy").equals("Failed")) {
      errors.add(
          invalid(
              path.field("podReplacementPolicy"),
              orNull(spec.path("podReplacementPolicy")),
              prefix + "must be set to Failed when in-place restart is enabled"));
    }
    boolean equal =
        Trees.has(spec, "completions")
            && Trees.same(spec.path("completions"), spec.path("parallelism"));
    if (!equal) {
      errors.add(
          invalid(
              path.field("completions"),
              orNull(spec.path("completions")),
              prefix
                  + "completions and parallelism must be set and equal to each other when in-place"
                  + " restart is enabled"));
    }
    boolean off = AgentInjection.choice(jobSet, job).equals("false");
    if (off && AgentMarks.find(Trees.at(spec, "template", "spec")).isEmpty()) {
      errors.add(
          invalid(
              path.field("template", "spec", "initContainers"),
              FieldError.OMITTED,
              prefix
                  + "must contain the in-place restart agent (a sidecar with a"
                  + " RestartAllContainers rule) when in-place restart is enabled"));
    }
  }

  private static @Nullable JsonNode orNull(JsonNode node) {
    return node.isMissingNode() ? null : node;
  }
}
