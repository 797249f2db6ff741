package dev.regroup.cli.convert;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.RestartFields;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.check.Finding;
import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Takes out of one container what Kubernetes 1.36 does not know. */
final class PortableContainer {

  private static final Set<String> RELEASED_ACTIONS = Set.of("Restart", "RestartAllContainers");
  private static final List<String> EXTENSIONS =
      List.of("keep", "terminationGracePeriodSeconds", "restartTimes", "oomKill", "exit");
  private static final Set<RuleGate> GATES = EnumSet.allOf(RuleGate.class);
  private static final int LARGEST_CODE = 255;

  private final ObjectNode container;
  private final boolean sidecar;
  private final RestartPolicy podPolicy;
  private final String field;
  private final List<Finding> notes;

  PortableContainer(
      ObjectNode container,
      String list,
      RestartPolicy podPolicy,
      String field,
      List<Finding> notes) {
    this.container = container;
    this.sidecar = list.equals("initContainers") && RestartFields.isSidecar(container);
    this.podPolicy = podPolicy;
    this.field = field;
    this.notes = notes;
  }

  /** Changes the container; returns what only the annotation can carry, empty for nothing. */
  ObjectNode reduce() {
    ObjectNode rest = Wire.object();
    rules(rest);
    Trees.object(container, "lifecycle")
        .filter(lifecycle -> lifecycle.has("onCompletion"))
        .ifPresent(lifecycle -> {
          rest.set("onCompletion", lifecycle.remove("onCompletion"));
          if (lifecycle.isEmpty()) {
            container.remove("lifecycle");
          }
          note(".lifecycle.onCompletion", "has no portable form");
        });
    return rest;
  }

  private void rules(ObjectNode rest) {
    if (!(container.get("restartPolicyRules") instanceof ArrayNode rules)) {
      return;
    }
    var original = rules.deepCopy();
    var removed = new ArrayList<Integer>();
    for (int i = rules.size() - 1; i >= 0; i--) {
      if (!released(rules.path(i))) {
        rules.remove(i);
        removed.addFirst(i);
      }
    }
    if (removed.isEmpty()) {
      return;
    }
    boolean same = sameEffect(original, rules);
    if (rules.isEmpty()) {
      container.remove("restartPolicyRules");
    }
    if (!same) {
      rest.set("restartPolicyRules", original); // all of them: their order matters
    }
    for (int index : removed) {
      String at = ".restartPolicyRules[" + index + "]";
      if (same) {
        notes.add(Finding.warning(field + at, "left out, the policy says the same without it"));
      } else {
        note(at, "has no portable form");
      }
    }
  }

  private void note(String at, String why) {
    notes.add(
        Finding.warning(
            field + at,
            why
                + "; kept in annotation "
                + Converter.ANNOTATION
                + ", which only an agent of kind process heeds"));
  }

  private static boolean released(com.fasterxml.jackson.databind.JsonNode rule) {
    return RELEASED_ACTIONS.contains(Trees.text(rule, "action"))
        && EXTENSIONS.stream().noneMatch(rule::has);
  }

  /** Whether every exit is followed by the same with and without the rules that go. */
  private boolean sameEffect(ArrayNode original, ArrayNode reduced) {
    for (var rule : original) {
      boolean plain = EXTENSIONS.stream().noneMatch(rule::has);
      if (!plain) {
        return false; // depends on more than the code
      }
    }
    var own = RestartFields.ownPolicy(container);
    var before = RestartFields.list(original);
    var after = RestartFields.list(reduced);
    for (int code = 0; code <= LARGEST_CODE; code++) {
      var exit = Exit.of(code);
      var one = ExitDecision.of(GATES, podPolicy, own, before, exit);
      var other = ExitDecision.of(GATES, podPolicy, own, after, exit);
      if (!same(one, other)) {
        return false;
      }
    }
    return true;
  }

  /** A rule that lets the container end differs from the policy only on a sidecar (ACT-04). */
  private boolean same(ExitDecision one, ExitDecision other) {
    return switch (one) {
      case ExitDecision.RestartAll _ -> other instanceof ExitDecision.RestartAll;
      case ExitDecision.Restart _ -> other instanceof ExitDecision.Restart;
      case ExitDecision.Stay _ -> other instanceof ExitDecision.Stay && !sidecar;
      case ExitDecision.Complete _, ExitDecision.TerminatePod _ -> false;
    };
  }
}
