package dev.regroup.api.admission.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.jobset.JobSet;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Warns who makes a JobSet on Regroup's own nodes of rules that nobody would carry out: the
 * annotation {@link JobSetKeys#RULES} speaks to an agent of kind process alone, and such an agent
 * cannot judge everything a node can (JS-132a).
 */
public final class UnheededRules {

  private static final AgentChecks AGENTS = new AgentChecks(AgentSettings.LOCAL, "");

  private UnheededRules() {}

  /** The last link of a write: the object stays as it is. */
  public static Admitted warn(Review review, Lookup lookup) {
    if (review.operation() != Operation.CREATE || !review.isOf(JobSet.GROUP, JobSet.KIND)) {
      return review.unchanged();
    }
    var warnings = new ArrayList<String>();
    var jobs = Trees.objects(review.object(), "spec", "replicatedJobs");
    for (int i = 0; i < jobs.size(); i++) {
      var path = FieldPath.of("spec", "replicatedJobs").index(i).field("template", "spec");
      warn(review.object(), jobs.get(i), path.field("template"), warnings);
    }
    return review.passed(warnings, review.found());
  }

  private static void warn(
      ObjectNode jobSet, ObjectNode job, FieldPath path, List<String> warnings) {
    var annotations = Trees.at(job, "template", "spec", "template", "metadata", "annotations");
    var worker = AGENTS.ranByAgent(jobSet, job);
    boolean carried = Trees.has(annotations, JobSetKeys.RULES);
    if (worker.isEmpty() && carried) {
      warnings.add(
          "%s: nobody heeds it, only an agent of kind process would (write the rules into the container, or annotation %s: process)"
              .formatted(
                  path.field("metadata", "annotations").key(JobSetKeys.RULES),
                  JobSetKeys.INJECT_AGENT));
    }
    worker
        .flatMap(name -> container(job, name))
        .filter(container -> AgentRules.namesOomKill(container, annotations))
        .ifPresent(container ->
            warnings.add(
                "%s: nobody heeds it, because of its oomKill: the kernel may end the agent together with the worker (name exit code 137 instead)"
                    .formatted(
                        carried
                            ? path.field("metadata", "annotations").key(JobSetKeys.RULES)
                            : path.field("spec", "containers")
                                .index(containers(job).indexOf(container))
                                .field("restartPolicyRules"))));
  }

  private static Optional<ObjectNode> container(ObjectNode job, String name) {
    return containers(job).stream().filter(one -> Trees.text(one, "name").equals(name)).findFirst();
  }

  private static List<ObjectNode> containers(ObjectNode job) {
    return Trees.objects(job, "template", "spec", "template", "spec", "containers");
  }
}
