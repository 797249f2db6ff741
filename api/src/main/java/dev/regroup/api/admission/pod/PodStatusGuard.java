package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.api.pod.RestartRequests;
import dev.regroup.api.pod.StatusGuard;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a status may not say: a container that ended for good runs again (IMM-03), a pod that ended
 * lives again (IMM-04). Uses the decision the node uses, so both agree about every exit.
 */
public final class PodStatusGuard {

  private static final Set<String> FINAL = Set.of("Succeeded", "Failed");

  private static final Set<String> OF_THE_SYSTEM = Set.of("PodScheduled", "Ready", "Initialized");

  private final Gates gates;
  private final StatusGuard guard;

  public PodStatusGuard(Gates gates) {
    this.gates = gates;
    this.guard = new StatusGuard(gates.rules(Gates.Component.SERVER));
  }

  /** {@code pod} holds the spec and annotations in force and the status wanted. */
  public List<FieldError> check(JsonNode pod, JsonNode old) {
    var errors = new ArrayList<FieldError>();
    phase(pod, old, errors);
    conditions(pod, errors);
    facts(pod, old, errors);
    ends(pod, old, errors);
    return errors;
  }

  private void phase(JsonNode pod, JsonNode old, List<FieldError> errors) {
    String before = Trees.text(old, "status", "phase");
    String now = Trees.text(pod, "status", "phase");
    boolean leaves = FINAL.contains(before) && !now.equals(before);
    if (leaves && gates.preset() == Gates.Preset.PRODUCT) {
      errors.add(
          forbidden(
              FieldPath.of("status", "phase"),
              "may not be changed from " + before + ", which is final"));
    }
  }

  private static void conditions(JsonNode pod, List<FieldError> errors) {
    var conditions = Trees.objects(pod, "status", "conditions");
    for (int i = 0; i < conditions.size(); i++) {
      FieldPath path = FieldPath.of("status", "conditions").index(i);
      seen(conditions.get(i), path, errors);
      String type = Trees.text(conditions.get(i), "type");
      if (!OF_THE_SYSTEM.contains(type)) {
        NameRules.qualified(type)
            .forEach(problem -> errors.add(invalid(path.field("Type"), type, problem)));
      }
    }
  }

  private static void seen(JsonNode part, FieldPath path, List<FieldError> errors) {
    long generation = part.path("observedGeneration").asLong(0);
    if (generation < 0) {
      errors.add(
          invalid(path.field("observedGeneration"), generation, "must be a non-negative integer"));
    }
  }

  private static void claims(JsonNode pod, List<FieldError> errors) {
    FieldPath path = FieldPath.of("status", "resourceClaimStatuses");
    var wanted =
        Trees.objects(pod, "spec", "resourceClaims").stream()
            .map(claim -> Trees.text(claim, "name"))
            .toList();
    var names = new HashSet<String>();
    var statuses = Trees.objects(pod, "status", "resourceClaimStatuses");
    for (int i = 0; i < statuses.size(); i++) {
      String name = Trees.text(statuses.get(i), "name");
      if (!wanted.contains(name)) {
        errors.add(
            invalid(
                path.index(i).field("name"),
                name,
                "must match the name of an entry in `spec.resourceClaims`"));
      }
      if (!names.add(name)) {
        errors.add(FieldError.duplicate(path.index(i).field("name"), name));
      }
      FieldPath claim = path.index(i).field("resourceClaimName");
      Trees.textIfPresent(statuses.get(i), "resourceClaimName")
          .ifPresent(made ->
              NameRules.subdomain(made)
                  .forEach(problem -> errors.add(invalid(claim, made, problem))));
    }
  }

  private static void facts(JsonNode pod, JsonNode old, List<FieldError> errors) {
    FieldPath path = FieldPath.of("status");
    seen(pod.path("status"), path, errors);
    JsonNode qos = Trees.at(pod, "status", "qosClass");
    JsonNode oldQos = Trees.at(old, "status", "qosClass");
    if (!qos.isMissingNode() && !Trees.same(qos, oldQos)) {
      errors.add(invalid(path.field("qosClass"), qos, "field is immutable"));
    }
    String nominated = Trees.text(pod, "status", "nominatedNodeName");
    if (!nominated.isEmpty()) {
      NameRules.subdomain(nominated)
          .forEach(
              problem -> errors.add(invalid(path.field("nominatedNodeName"), nominated, problem)));
      boolean bound = !Trees.text(pod, "spec", "nodeName").isEmpty();
      if (bound && !nominated.equals(Trees.text(old, "status", "nominatedNodeName"))) {
        errors.add(
            forbidden(
                path.field("nominatedNodeName"),
                "may not be set on pods that are already bound to a node"));
      }
    }
    claims(pod, errors);
    for (String list :
        List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")) {
      users(pod, list, errors);
    }
    addresses(pod, "podIP", errors);
    addresses(pod, "hostIP", errors);
  }

  /** As whom the processes of containers began. */
  private static void users(JsonNode pod, String list, List<FieldError> errors) {
    var statuses = Trees.objects(pod, "status", list);
    for (int i = 0; i < statuses.size(); i++) {
      FieldPath path = FieldPath.of("status", list).index(i).field("user", "linux");
      JsonNode user = Trees.at(statuses.get(i), "user", "linux");
      for (String field : List.of("uid", "gid")) {
        long id = Trees.number(user, field).orElse(0);
        if (id < 0 || id > Integer.MAX_VALUE) {
          errors.add(invalid(path.field(field), id, "must be between 0 and 2147483647, inclusive"));
        }
      }
    }
  }

  /** The first of a list of addresses is the single one; all are addresses. */
  private static void addresses(JsonNode pod, String single, List<FieldError> errors) {
    FieldPath path = FieldPath.of("status", single + "s");
    String first = Trees.text(pod, "status", single);
    var addresses = Trees.objects(pod, "status", single + "s");
    for (int i = 0; i < addresses.size(); i++) {
      String address = Trees.text(addresses.get(i), "ip");
      if (i == 0 && !address.equals(first)) {
        errors.add(
            invalid(path.index(0).field("ip"), address, "must be equal to `%s`".formatted(single)));
      }
      if (!Addresses.isAddress(address)) {
        errors.add(invalid(path.index(i), address, Addresses.ADDRESS_TEXT));
      }
    }
    boolean pair =
        addresses.size() == 2
            && Addresses.isIpv6(Trees.text(addresses.get(0), "ip"))
                != Addresses.isIpv6(Trees.text(addresses.get(1), "ip"));
    if (addresses.size() > 1 && !pair) {
      errors.add(
          invalid(
              path,
              FieldError.internal(Trees.at(pod, "status", single + "s")),
              "may specify no more than one IP for each IP family"));
    }
  }

  private void ends(JsonNode pod, JsonNode old, List<FieldError> errors) {
    var leaving = new ArrayList<Leaving>();
    leaving(pod, old, "initContainerStatuses", leaving);
    leaving(pod, old, "containerStatuses", leaving);
    if (leaving.isEmpty()) {
      return;
    }
    var spec = PodSpecs.of(old);
    var request = RestartRequests.of(Trees.map(pod, "metadata", "annotations"));
    if (guard.everyContainerMayRunAgain(spec, request)) {
      return;
    }
    for (Leaving one : leaving) {
      spec.containers().stream()
          .filter(container -> container.name().equals(one.name()))
          .filter(container -> container.kind().isInitEntry() == one.init())
          .findFirst()
          .filter(container ->
              !guard.mayRunAgain(
                  spec, container, StatusReader.container(one.before(), container.kind())))
          .ifPresent(_ ->
              errors.add(
                  forbidden(one.state(), "may not be transitioned to non-terminated state")));
    }
  }

  /** A status that was {@code terminated} and is to be something else. */
  private record Leaving(ObjectNode before, boolean init, FieldPath state) {
    String name() {
      return Trees.text(before, "name");
    }
  }

  private static void leaving(JsonNode pod, JsonNode old, String list, List<Leaving> leaving) {
    var before = Trees.objects(old, "status", list);
    for (int i = 0; i < before.size(); i++) {
      String name = Trees.text(before.get(i), "name");
      boolean leaves =
          Trees.has(before.get(i), "state", "terminated")
              && Trees.objects(pod, "status", list).stream()
                  .anyMatch(status ->
                      Trees.text(status, "name").equals(name)
                          && !Trees.has(status, "state", "terminated"));
      if (leaves) {
        var state = FieldPath.of("status", list).index(i).field("state");
        leaving.add(new Leaving(before.get(i), list.startsWith("init"), state));
      }
    }
  }
}
