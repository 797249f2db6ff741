package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Priority classes: names and values of the system are reserved. */
final class PriorityClassRules implements KindRules {

  private static final long HIGHEST = 1_000_000_000;
  private static final Set<String> SYSTEM =
      Set.of("system-cluster-critical", "system-node-critical");

  @Override
  public boolean hasGeneration() {
    return true;
  }

  @Override
  public boolean movesGeneration(ObjectNode priorityClass, ObjectNode old) {
    return false;
  }

  @Override
  public void fill(ObjectNode priorityClass) {
    Trees.fill(priorityClass, "preemptionPolicy", "PreemptLowerPriority");
    if (!Trees.has(priorityClass, "value")) {
      priorityClass.put("value", 0);
    }
    if (!Trees.isTrue(priorityClass, "globalDefault")) {
      priorityClass.remove("globalDefault"); // false is how it is without it
    }
  }

  @Override
  public List<FieldError> check(ObjectNode priorityClass, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    String name = Trees.text(priorityClass, "metadata", "name");
    FieldPath value = FieldPath.of("value");
    if (name.startsWith("system-") && !SYSTEM.contains(name)) {
      errors.add(
          forbidden(
              FieldPath.of("metadata", "name"),
              "priority class names with 'system-' prefix are reserved for system use only. error: "
                  + name
                  + " is not a known system priority class"));
    } else if (!SYSTEM.contains(name) && Trees.number(priorityClass, "value").orElse(0) > HIGHEST) {
      errors.add(
          forbidden(value, "maximum allowed value of a user defined priority is " + HIGHEST));
    }
    String policy = Trees.text(priorityClass, "preemptionPolicy");
    var known = List.of("PreemptLowerPriority", "Never");
    if (!known.contains(policy)) {
      errors.add(notSupported(FieldPath.of("preemptionPolicy"), policy, known));
    }
    if (old != null && !Trees.same(priorityClass.path("value"), old.path("value"))) {
      errors.add(forbidden(value, "may not be changed in an update."));
    }
    if (old != null && !policy.equals(Trees.text(old, "preemptionPolicy"))) {
      errors.add(invalid(FieldPath.of("preemptionPolicy"), policy, "field is immutable"));
    }
    return errors;
  }
}
