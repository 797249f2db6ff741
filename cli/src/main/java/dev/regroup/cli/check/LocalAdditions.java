package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What Regroup's node gives the workers of a JobSet and a cluster's does not (JS-168, JS-169). */
final class LocalAdditions {

  private static final Set<String> RENDEZVOUS =
      Set.of("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT");
  private static final Pattern WORD = Pattern.compile("[A-Z_][A-Z0-9_]*");
  private static final String NO_GRACE =
      "has effect only with the process agent; other Pods have 2 s in a restart (JS-169)";

  private LocalAdditions() {}

  static List<Finding> find(ObjectNode jobSet) {
    var findings = new ArrayList<Finding>();
    grace(jobSet, "metadata", findings);
    var jobs = Trees.objects(jobSet.path("spec"), "replicatedJobs");
    for (int i = 0; i < jobs.size(); i++) {
      String at = "spec.replicatedJobs[" + i + "].template.";
      Trees.object(jobs.get(i), "template").ifPresent(one -> grace(one, at + "metadata", findings));
      Trees.object(jobs.get(i), "template", "spec", "template")
          .ifPresent(one -> grace(one, at + "spec.template.metadata", findings));
      variables(jobs.get(i), at + "spec.template.spec.containers", findings);
    }
    return findings;
  }

  private static void grace(ObjectNode owner, String at, List<Finding> findings) {
    boolean process =
        Trees.text(owner, "metadata", "annotations", JobSetKeys.INJECT_AGENT).equals("process");
    if (!process && Trees.at(owner, "metadata", "annotations").has(JobSetKeys.RESTART_GRACE)) {
      String field = at + ".annotations[" + JobSetKeys.RESTART_GRACE + "]";
      findings.add(Finding.warning(field, NO_GRACE));
    }
  }

  /** Names each worker that uses a variable which nobody sets there. */
  private static void variables(ObjectNode job, String at, List<Finding> findings) {
    var containers = Trees.objects(job, "template", "spec", "template", "spec", "containers");
    for (int i = 0; i < containers.size(); i++) {
      var missing = new TreeSet<String>();
      var words = WORD.matcher(containers.get(i).toString());
      while (words.find()) {
        if (RENDEZVOUS.contains(words.group())) {
          missing.add(words.group());
        }
      }
      Trees.objects(containers.get(i), "env")
          .forEach(one -> missing.remove(Trees.text(one, "name")));
      if (!missing.isEmpty()) {
        findings.add(
            Finding.warning(
                at + "[" + i + "]",
                "uses %s, which only Regroup sets (use JOB_COMPLETION_INDEX and the Pods' names, or"
                        .formatted(String.join(", ", missing))
                    + " set it; JS-168)"));
      }
    }
  }
}
