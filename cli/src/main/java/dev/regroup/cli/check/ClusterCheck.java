package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/**
 * What a real cluster would refuse or drop. The same check as everywhere with that version's gates
 * and strict spellings, plus what such a cluster drops without a word (GATE-10) and what JobSet's
 * own webhook does not fill in.
 */
public final class ClusterCheck {

  private static final String CONVERT = "regroup convert prints the portable form";

  private final CheckTarget.Kubernetes target;
  private final ObjectCheck check;

  public ClusterCheck(CheckTarget.Kubernetes target) {
    this.target = target;
    this.check = new ObjectCheck(target.gates(), Decoding.STRICT);
  }

  /** Findings beyond those that hold here as well. */
  public List<Finding> find(ObjectNode object, List<Finding> here) {
    var findings = new ArrayList<Finding>();
    for (Finding finding : check.check(object).findings()) {
      if (!finding.isError() || here.contains(finding)) {
        continue;
      }
      String text =
          finding.problem().equals(Shape.UNKNOWN)
              ? " does not know this field: kubectl is refused, other clients lose it"
              : " refuses this: " + finding.problem();
      findings.add(Finding.error(finding.field(), target + text, CONVERT));
    }
    if (!target.usesRules()) {
      dropped(object, findings);
    }
    if (Trees.text(object, "kind").equals("JobSet")) {
      jobSet(object, findings);
      findings.addAll(LocalAdditions.find(object));
    }
    return findings;
  }

  private static void jobSet(ObjectNode object, List<Finding> findings) {
    if (FilledIn.isInPlace(object)) {
      findings.add(
          Finding.warning(
              "spec.failurePolicy.restartStrategy",
              "InPlaceRestart needs Regroup's controller, or JobSet's with feature gate"
                  + " InPlaceRestart, which is off by default (JS-45)"));
    }
    for (FilledIn missing : FilledIn.of(object)) {
      findings.add(
          Finding.warning(
              missing.field(),
              "is missing: Regroup's webhook fills in %s, JobSet's own does not"
                  .formatted(missing.value()),
              CONVERT));
    }
  }

  private void dropped(ObjectNode object, List<Finding> findings) {
    String why =
        target.knowsRules()
            ? " drops this silently, its gate ContainerRestartRules is off by default"
            : " does not know this field, it is dropped";
    for (var pod : WrittenPods.of(object)) {
      for (String list : List.of("initContainers", "containers")) {
        var containers = Trees.objects(pod.spec(), list);
        for (int i = 0; i < containers.size(); i++) {
          String at = pod.field() + "." + list + "[" + i + "].";
          boolean sidecar = Trees.text(containers.get(i), "restartPolicy").equals("Always");
          boolean kept = list.equals("initContainers") && sidecar;
          if (Trees.has(containers.get(i), "restartPolicy") && !kept) {
            findings.add(Finding.error(at + "restartPolicy", target + why));
          }
          if (Trees.has(containers.get(i), "restartPolicyRules")) {
            findings.add(Finding.error(at + "restartPolicyRules", target + why));
          }
        }
      }
    }
  }
}
