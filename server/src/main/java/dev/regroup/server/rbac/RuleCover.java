package dev.regroup.server.rbac;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Compares what somebody may do with what they want to give. Pure. */
final class RuleCover {
  private RuleCover() {}

  /**
   * The rights in {@code wanted} that no rule in {@code held} covers, in as few rules as can be.
   */
  static List<PolicyRule> missing(List<PolicyRule> held, List<PolicyRule> wanted) {
    var missing =
        wanted.stream()
            .flatMap(rule -> rule.atoms().stream())
            .filter(atom -> held.stream().noneMatch(rule -> rule.covers(atom)))
            .toList();
    return compact(missing);
  }

  /** Joins the verbs of rules about the same resource. */
  static List<PolicyRule> compact(List<PolicyRule> atoms) {
    var joined = new LinkedHashMap<PolicyRule, List<String>>();
    var others = new ArrayList<PolicyRule>();
    for (var atom : atoms) {
      if (atom.paths().isEmpty()) {
        joined
            .computeIfAbsent(atom.withVerbs(List.of()), _ -> new ArrayList<>())
            .addAll(atom.verbs());
      } else {
        others.add(atom);
      }
    }
    for (Map.Entry<PolicyRule, List<String>> one : joined.entrySet()) {
      others.add(one.getKey().withVerbs(one.getValue()));
    }
    return others;
  }

  /** One line for each, sorted. */
  static String text(List<PolicyRule> rules) {
    var lines = new TreeSet<String>();
    rules.forEach(rule -> lines.add(rule.text()));
    return String.join("\n", lines);
  }
}
