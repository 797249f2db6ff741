package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/** What an update may not do to the spec of a service. */
final class ServiceChanges {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final String ONCE = "may not change once set";

  private final JsonNode spec;
  private final JsonNode old;
  private final List<FieldError> errors = new ArrayList<>();

  private ServiceChanges(JsonNode spec, JsonNode old) {
    this.spec = spec;
    this.old = old;
  }

  static List<FieldError> check(JsonNode spec, JsonNode old) {
    var changes = new ServiceChanges(spec, old);
    if (!isType(spec, "ExternalName") && !isType(old, "ExternalName")) {
      changes.addresses();
      changes.families();
    }
    changes.balancer();
    return changes.errors;
  }

  private void addresses() {
    if (isHeadless(spec) && isHeadless(old)) {
      return;
    }
    listed("clusterIPs", "clusterIP");
  }

  private void families() {
    if (!isHeadless(spec) && !isHeadless(old)) {
      listed("ipFamilies", "ipFamily");
    }
  }

  /** The first of each stays; a second may come, and go when the policy says so. */
  private void listed(String field, String one) {
    var now = Trees.texts(spec, field);
    var before = Trees.texts(old, field);
    boolean addresses = field.equals("clusterIPs");
    if (now.size() == before.size()) {
      for (int i = 0; i < before.size(); i++) {
        if (!now.get(i).equals(before.get(i))) {
          changed(field, addresses ? i : 0, ONCE);
        }
      }
      return;
    }
    if (now.isEmpty()) {
      changed(field, 0, "primary " + one + " can not be unset");
    } else if (!before.isEmpty() && !now.getFirst().equals(before.getFirst())) {
      changed(field, 0, ONCE);
    }
    String policy = Trees.text(spec, "ipFamilyPolicy");
    if (now.size() == 1 && before.size() > 1 && !policy.equals("SingleStack")) {
      errors.add(
          invalid(
              SPEC.field("ipFamilyPolicy"),
              policy,
              "must be set to 'SingleStack' when releasing the secondary " + one));
    }
  }

  private void changed(String field, int index, String why) {
    errors.add(invalid(SPEC.field(field).index(index), spec.path(field), why));
  }

  private void balancer() {
    String type = Trees.text(spec, "loadBalancerClass");
    boolean both = isType(spec, "LoadBalancer") && isType(old, "LoadBalancer");
    if (both && !Trees.same(spec.path("loadBalancerClass"), old.path("loadBalancerClass"))) {
      FieldPath path = SPEC.field("loadBalancerClass");
      boolean there = Trees.has(spec, "loadBalancerClass");
      errors.add(invalid(path, there ? type : null, ONCE));
    }
    if (ServiceReach.isHealthChecked(spec)
        && ServiceReach.isHealthChecked(old)
        && !Trees.same(spec.path("healthCheckNodePort"), old.path("healthCheckNodePort"))) {
      errors.add(forbidden(SPEC.field("healthCheckNodePort"), "field is immutable"));
    }
  }

  private static boolean isHeadless(JsonNode spec) {
    return Trees.text(spec, "clusterIP").equals("None");
  }

  private static boolean isType(JsonNode spec, String type) {
    return Trees.text(spec, "type").equals(type);
  }
}
