package dev.regroup.cli.convert;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.pod.RestartFields;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.check.Finding;
import dev.regroup.cli.check.WrittenPods.WrittenPod;
import dev.regroup.rules.RestartPolicy;
import java.util.List;
import java.util.Optional;

/**
 * {@code lifecycle.onCompletion} as any kubelet can do it: a pod ends when its regular containers
 * have ended, and native sidecars are stopped then. So where one container ends the pod and all
 * others are restarted whenever they end, the others are written as sidecars and nothing else is
 * needed. Where another one may end by itself a sidecar would do something else, and the reason is
 * told.
 */
final class SidecarForm {

  private final WrittenPod pod;
  private final RestartPolicy podPolicy;
  private final List<Finding> notes;

  SidecarForm(WrittenPod pod, List<Finding> notes) {
    this.pod = pod;
    this.podPolicy = RestartFields.podPolicy(pod.spec());
    this.notes = notes;
  }

  /** Changes the pod where that is exact. */
  void write() {
    var containers = Trees.objects(pod.spec(), "containers");
    var ending = containers.stream().filter(SidecarForm::endsThePod).toList();
    if (ending.size() != 1) {
      return; // none, or several: then the first to end would decide
    }
    int index = containers.indexOf(ending.getFirst());
    String field = pod.field() + ".containers[" + index + "].lifecycle.onCompletion";
    var obstacle = obstacle(ending.getFirst(), containers);
    if (obstacle.isPresent()) {
      notes.add(Finding.warning(field, "cannot be written with sidecars: " + obstacle.get()));
      return;
    }
    move(ending.getFirst(), containers);
    notes.add(
        Finding.warning(
            field,
            containers.size() == 1
                ? "left out, the pod has no other container"
                : "written as sidecars: the other containers are init containers with"
                    + " restartPolicy Always"));
  }

  private static boolean endsThePod(ObjectNode container) {
    return Trees.text(container, "lifecycle", "onCompletion").equals("TerminatePod");
  }

  private Optional<String> obstacle(ObjectNode ending, List<ObjectNode> containers) {
    if (policy(ending) == RestartPolicy.ALWAYS) {
      return Optional.of("the container itself is always restarted");
    }
    for (var other : containers) {
      boolean rules = !other.path("restartPolicyRules").isEmpty();
      if (!other.equals(ending) && (rules || policy(other) != RestartPolicy.ALWAYS)) {
        return Optional.of(
            "container \"%s\" %s, a sidecar is always restarted"
                .formatted(
                    Trees.text(other, "name"), rules ? "has rules" : "is not always restarted"));
      }
    }
    return Optional.empty();
  }

  private RestartPolicy policy(ObjectNode container) {
    return RestartFields.ownPolicy(container).or(podPolicy);
  }

  private void move(ObjectNode ending, List<ObjectNode> containers) {
    ObjectNode lifecycle = Trees.child(ending, "lifecycle");
    lifecycle.remove("onCompletion");
    if (lifecycle.isEmpty()) {
      ending.remove("lifecycle");
    }
    ArrayNode regular = Trees.list(pod.spec(), "containers");
    regular.removeAll();
    for (var one : containers) {
      if (one.equals(ending)) {
        regular.add(one);
      } else {
        Trees.list(pod.spec(), "initContainers").add(one.put("restartPolicy", "Always"));
      }
    }
  }
}
