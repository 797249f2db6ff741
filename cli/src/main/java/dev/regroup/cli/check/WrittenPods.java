package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The pod specs of an object as its author wrote it, before anything was filled in. */
public final class WrittenPods {

  /**
   * One of them.
   *
   * @param owner the pod or pod template that has {@code metadata} and {@code spec}
   * @param field path of the pod spec inside the object
   */
  public record WrittenPod(ObjectNode owner, ObjectNode spec, String field) {}

  private WrittenPods() {}

  public static List<WrittenPod> of(ObjectNode object) {
    var pods = new ArrayList<WrittenPod>();
    switch (Trees.text(object, "kind")) {
      case "Pod" -> add(pods, Optional.of(object), "");
      case "Job" -> add(pods, Trees.object(object, "spec", "template"), "spec.template.");
      case "JobSet" -> {
        var entries = Trees.objects(object, "spec", "replicatedJobs");
        for (int i = 0; i < entries.size(); i++) {
          add(
              pods,
              Trees.object(entries.get(i), "template", "spec", "template"),
              "spec.replicatedJobs[" + i + "].template.spec.template.");
        }
      }
      default -> {} // no other kind has pods that Regroup makes
    }
    return pods;
  }

  private static void add(List<WrittenPod> pods, Optional<ObjectNode> owner, String prefix) {
    owner.ifPresent(pod ->
        Trees.object(pod, "spec")
            .ifPresent(spec -> pods.add(new WrittenPod(pod, spec, prefix + "spec"))));
  }
}
