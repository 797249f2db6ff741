package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.admission.Trees;
import java.util.ArrayList;
import java.util.List;

/**
 * What a real cluster would refuse or drop. The same check as everywhere with that version's gates
 * and strict spellings, plus what such a cluster drops without a word (GATE-10).
 */
public final class ClusterCheck {

  private static final String CONVERT = " (regroup convert prints the portable form)";

  private final Target.Kubernetes target;
  private final ObjectCheck check;

  public ClusterCheck(Target.Kubernetes target) {
    this.target = target;
    this.check = new ObjectCheck(target.gates(), Decoding.STRICT);
  }

  public List<Finding> find(ObjectNode object) {
    var findings = new ArrayList<Finding>();
    for (Finding finding : check.check(object).findings()) {
      if (!finding.isError()) {
        continue; // said by the check for here
      }
      boolean unknown = finding.message().startsWith("unknown field");
      String text =
          unknown
              ? "does not know this field: kubectl is refused, other clients lose it" + CONVERT
              : "refuses this: " + finding.message() + CONVERT;
      findings.add(Finding.error(finding.field(), target + " " + text));
    }
    if (!target.usesRules()) {
      dropped(object, findings);
    }
    boolean inPlace =
        Trees.text(object, "spec", "failurePolicy", "restartStrategy").equals("InPlaceRestart");
    if (inPlace) {
      findings.add(
          Finding.warning(
              "spec.failurePolicy.restartStrategy",
              "InPlaceRestart needs Regroup's controller, or JobSet's with feature gate"
                  + " InPlaceRestart, which is off by default (JS-45)"));
    }
    return findings;
  }

  private void dropped(ObjectNode object, List<Finding> findings) {
    String why =
        target.knowsRules()
            ? " drops this silently, its gate ContainerRestartRules is off by default"
            : " does not know this field, it is dropped";
    for (var spec : WrittenPods.of(object)) {
      for (String list : List.of("initContainers", "containers")) {
        var containers = Trees.objects(spec.spec(), list);
        for (int i = 0; i < containers.size(); i++) {
          String at = spec.field() + "." + list + "[" + i + "].";
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
