package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.admission.container.PodOptions;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Folds the spellings of the proposals into the canonical form, before anything is checked (ACT-03,
 * ACT-11, ACT-12, TPC-27). What was read that way is named in a warning.
 */
public final class DraftSpellings {

  private static final String TERMINATE_POD = "TerminatePod";
  private static final List<String> WRAPPERS = List.of("when", "onExit");

  private final Decoding decoding;
  private final List<String> warnings;
  private final List<FieldError> errors;

  public DraftSpellings(Decoding decoding, List<String> warnings, List<FieldError> errors) {
    this.decoding = decoding;
    this.warnings = warnings;
    this.errors = errors;
  }

  public void fold(ObjectNode spec, FieldPath specPath) {
    for (String list : List.of("initContainers", "containers")) {
      var containers = Trees.objects(spec, list);
      for (int i = 0; i < containers.size(); i++) {
        container(containers.get(i), specPath.field(list).index(i));
      }
    }
  }

  private void container(ObjectNode container, FieldPath path) {
    var lifecycle = Trees.object(container, "lifecycle");
    lifecycle.ifPresent(object -> completion(object, path.field("lifecycle")));
    if (decoding == Decoding.STRICT) {
      return;
    }
    var rules = Trees.objects(container, "restartPolicyRules");
    for (int i = 0; i < rules.size(); i++) {
      rule(rules.get(i), path.field("restartPolicyRules").index(i));
    }
  }

  private void rule(ObjectNode rule, FieldPath path) {
    if (Trees.text(rule, "action").equals("RestartPod")) {
      rule.put("action", PodOptions.RESTART_ALL);
      warnings.add(
          path.field("action") + ": RestartPod is an old name, stored as RestartAllContainers");
    }
    var spellings = new ArrayList<String>();
    for (String name : List.of("exitCodes", "when", "onExit", "onExitCodes")) {
      if (Trees.has(rule, name)) {
        spellings.add(name);
      }
    }
    if (spellings.size() > 1) {
      errors.add(
          invalid(
              path,
              FieldError.OMITTED,
              "must use one spelling of the condition, found " + String.join(", ", spellings)));
      rule.remove(List.of("when", "onExit", "onExitCodes"));
      return;
    }
    for (String wrapper : WRAPPERS) {
      if (rule.remove(wrapper) instanceof ObjectNode conditions) {
        for (Map.Entry<String, JsonNode> condition : conditions.properties()) {
          rule.set(condition.getKey(), condition.getValue());
        }
        draft(path.field(wrapper), "stored without " + wrapper);
      }
    }
    if (rule.remove("onExitCodes") instanceof ObjectNode codes) {
      rule.set("exitCodes", codes);
      draft(path.field("onExitCodes"), "stored as exitCodes");
    }
    Trees.object(rule, "exitCodes").ifPresent(codes -> codes(codes, path.field("exitCodes")));
  }

  private void codes(ObjectNode codes, FieldPath path) {
    if (Trees.text(codes, "operator").equals("NoIn")) {
      codes.put("operator", "NotIn");
      warnings.add(path.field("operator") + ": NoIn is read as NotIn");
    }
    JsonNode values = codes.path("values");
    for (int i = 0; i < values.size(); i++) {
      if (!values.path(i).canConvertToInt() || !values.path(i).isIntegralNumber()) {
        errors.add(
            invalid(path.field("values").index(i), values.path(i), "must be a 32-bit integer"));
      }
    }
  }

  private void completion(ObjectNode lifecycle, FieldPath path) {
    JsonNode type = lifecycle.path("type");
    if (decoding == Decoding.LENIENT && !type.isMissingNode()) {
      lifecycle.remove("type");
      if (Trees.has(lifecycle, "onCompletion")) {
        errors.add(invalid(path.field("type"), type, "may not be set together with onCompletion"));
        return;
      }
      lifecycle.set("onCompletion", type);
      draft(path.field("type"), "stored as onCompletion");
    }
    JsonNode value = lifecycle.path("onCompletion");
    JsonNode plain = value.isObject() ? value.path("builtin") : value;
    if (!plain.isTextual()) {
      return;
    }
    if (plain.textValue().equalsIgnoreCase(TERMINATE_POD)) {
      lifecycle.set("onCompletion", TextNode.valueOf(TERMINATE_POD));
    } else if (decoding == Decoding.LENIENT && plain.textValue().equalsIgnoreCase("keystone")) {
      lifecycle.set("onCompletion", TextNode.valueOf(TERMINATE_POD));
      draft(path.field("onCompletion"), "keystone is stored as TerminatePod");
    }
  }

  private void draft(FieldPath path, String how) {
    warnings.add(path + ": draft spelling, " + how);
  }
}
