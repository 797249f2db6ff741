package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.jobset.AgentInjection;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/** What Regroup's node gives the workers of a JobSet and a cluster's does not (JS-168, JS-169). */
final class LocalAdditions {

  private static final String NO_GRACE =
      "has effect only with the process agent; other Pods have 2 s in a restart (JS-169)";

  private LocalAdditions() {}

  static List<Finding> find(ObjectNode jobSet) {
    var findings = new ArrayList<Finding>();
    var jobs = Trees.objects(jobSet.path("spec"), "replicatedJobs");
    if (!jobs.stream().allMatch(job -> isProcess(jobSet, job))) {
      grace(jobSet, "metadata", findings);
    }
    for (int i = 0; i < jobs.size(); i++) {
      if (isProcess(jobSet, jobs.get(i))) {
        continue;
      }
      String at = "spec.replicatedJobs[" + i + "].template.";
      Trees.object(jobs.get(i), "template").ifPresent(one -> grace(one, at + "metadata", findings));
      Trees.object(jobs.get(i), "template", "spec", "template")
          .ifPresent(one -> grace(one, at + "spec.template.metadata", findings));
    }
    LocalRank.of(jobSet).forEach(worker -> findings.add(variables(worker)));
    return findings;
  }

  /** Whether a process agent restarts these workers: injected, or their own (JS-132b, JS-132e). */
  private static boolean isProcess(ObjectNode jobSet, ObjectNode job) {
    var containers = Trees.objects(job, "template", "spec", "template", "spec", "containers");
    return AgentInjection.choice(jobSet, job).equals(AgentInjection.PROCESS)
        || containers.stream()
            .flatMap(container -> Trees.objects(container, "env").stream())
            .anyMatch(variable ->
                Trees.text(variable, "name").equals("IN_PLACE_RESTART_MODE")
                    && Trees.text(variable, "value").equals(AgentInjection.PROCESS));
  }

  private static void grace(ObjectNode owner, String at, List<Finding> findings) {
    if (Trees.at(owner, "metadata", "annotations").has(JobSetKeys.RESTART_GRACE)) {
      String field = at + ".annotations[" + JobSetKeys.RESTART_GRACE + "]";
      findings.add(Finding.warning(field, NO_GRACE));
    }
  }

  /** Names each worker that would miss a variable; loudly where it is seen to use it. */
  private static Finding variables(LocalRank worker) {
    boolean convertible = worker.obstacle().isEmpty();
    var used = worker.used();
    String what =
        used.isEmpty()
            ? "misses %s there, which only Regroup sets (if it needs them, "
                .formatted(String.join(", ", worker.missing()))
            : "uses %s, which only Regroup sets (".formatted(String.join(", ", used));
    String how =
        convertible
            ? "regroup convert writes them out; JS-168)"
            : "use JOB_COMPLETION_INDEX and the Pods' names, or set it; JS-168)";
    return used.isEmpty()
        ? Finding.note(worker.field(), what + how)
        : Finding.warning(worker.field(), what + how);
  }
}
