package dev.regroup.cli.compare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.manifest.Manifests.Manifest;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.YamlText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Manifests with another restart strategy. Recreate starts a group again only when a Job of it
 * fails; in place a failed worker is enough. So that the same failures mean the same, what the
 * manifest leaves open is filled in for Recreate: no retries by the Job, none inside the pod.
 */
final class StrategyManifests {

  private static final String UID_LABEL = "jobset.sigs.k8s.io/jobset-uid";

  private final List<Manifest> manifests;
  private final List<String> filled = new ArrayList<>();

  StrategyManifests(List<Manifest> manifests) throws CliFailure {
    this.manifests = List.copyOf(manifests);
    var groups = jobSets(objects());
    if (groups.isEmpty()) {
      throw new CliFailure(
          "nothing to compare: no JobSet in the files (strategies are a JobSet's)");
    }
    for (var group : groups) {
      if (Trees.integer(group, "spec", "failurePolicy", "maxRestarts").orElse(0) == 0) {
        throw new CliFailure(
            "spec.failurePolicy.maxRestarts: jobset/%s may not restart (set it to 1 or more)"
                .formatted(Trees.text(group, "metadata", "name")));
      }
    }
  }

  /** The files as one text. */
  String with(Strategy strategy) {
    var changed = objects();
    for (var group : jobSets(changed)) {
      Trees.child(Trees.child(group, "spec"), "failurePolicy")
          .put("restartStrategy", strategy.wireName());
      if (strategy == Strategy.RECREATE) {
        Trees.objects(group, "spec", "replicatedJobs").forEach(this::failAtOnce);
      }
    }
    return changed.stream().map(YamlText::of).collect(Collectors.joining("---\n"));
  }

  /** What was filled in, in words. */
  List<String> filled() {
    return filled.stream().distinct().toList();
  }

  /** What the second run may find of the first, in words. */
  List<String> shared() {
    var paths = new ArrayList<String>();
    for (var group : jobSets(objects())) {
      if (group.toString().contains(UID_LABEL)) {
        continue; // it tells its runs apart
      }
      for (var job : Trees.objects(group, "spec", "replicatedJobs")) {
        Trees.objects(job, "template", "spec", "template", "spec", "volumes").stream()
            .map(volume -> Trees.text(volume, "hostPath", "path"))
            .filter(path -> !path.isEmpty())
            .forEach(paths::add);
      }
    }
    return paths.stream().distinct().toList();
  }

  private void failAtOnce(ObjectNode job) {
    String name = Trees.text(job, "name");
    var spec = Trees.child(Trees.child(job, "template"), "spec");
    if (Trees.integer(spec, "backoffLimit").orElse(Integer.MAX_VALUE) == Integer.MAX_VALUE) {
      spec.put("backoffLimit", 0);
      filled.add("%s backoffLimit: 0".formatted(name));
    }
    var pod = Trees.child(Trees.child(spec, "template"), "spec");
    if (!Trees.has(pod, "restartPolicy")) {
      pod.put("restartPolicy", "Never");
      filled.add("%s restartPolicy: Never".formatted(name));
    }
  }

  private List<ObjectNode> objects() {
    return manifests.stream().map(one -> one.object().deepCopy()).toList();
  }

  private static List<ObjectNode> jobSets(List<ObjectNode> objects) {
    return objects.stream().filter(one -> Trees.text(one, "kind").equals("JobSet")).toList();
  }
}
