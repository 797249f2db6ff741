package dev.regroup.runtime.seccomp;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Which calls a process may make. For each call the first rule that names it and whose conditions
 * all hold decides; without one it is {@code otherwise}.
 */
public record Profile(FilterVerdict otherwise, List<Rule> rules) {

  public Profile {
    rules = List.copyOf(rules);
  }

  /** What happens to these calls if all conditions hold. */
  public record Rule(Set<String> calls, List<Condition> conditions, FilterVerdict verdict) {
    public Rule {
      calls = Set.copyOf(calls);
      conditions = List.copyOf(conditions);
    }
  }

  /** A rule for one call. */
  record Clause(List<Condition> conditions, FilterVerdict verdict) {}

  /** What may happen to a call, in order; the last clause has no condition. */
  List<Clause> clauses(String call) {
    var clauses = new ArrayList<Clause>();
    for (var rule : rules) {
      if (rule.calls().contains(call)) {
        clauses.add(new Clause(rule.conditions(), rule.verdict()));
        if (rule.conditions().isEmpty()) {
          return clauses;
        }
      }
    }
    clauses.add(new Clause(List.of(), otherwise));
    return clauses;
  }

  /** Whether the call is made whatever its arguments are. */
  public boolean allows(String call) {
    return clauses(call).stream()
        .allMatch(clause ->
            clause.verdict().equals(FilterVerdict.ALLOW)
                || clause.verdict().equals(FilterVerdict.LOG));
  }
}
