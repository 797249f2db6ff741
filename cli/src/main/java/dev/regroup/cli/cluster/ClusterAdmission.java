package dev.regroup.cli.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.RulesAnnotation;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.jobset.AgentChecks;
import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.api.admission.jobset.JobSetAdmission;
import dev.regroup.api.admission.jobset.PodPlacement;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.jobset.JobSetCharge;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.tree.Trees;
import dev.regroup.control.jobset.NamespaceAccounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The four webhooks of JobSet (JS-41, JS-43, JS-91, JS-91a), as the same functions that admit
 * locally. Where the released controller has its own, only JobSets that name Regroup are looked at,
 * and pods are left to it: their places would be given twice.
 */
final class ClusterAdmission {

  static final String MUTATE_JOB_SET = "/mutate-jobset-x-k8s-io-v1alpha2-jobset";
  static final String VALIDATE_JOB_SET = "/validate-jobset-x-k8s-io-v1alpha2-jobset";
  static final String MUTATE_POD = "/mutate--v1-pod";
  static final String VALIDATE_POD = "/validate--v1-pod";

  private final JobSetAdmission jobSets;
  private final RulesAnnotation rules = new RulesAnnotation();
  private final JobSetCharge charge;
  private final Supplier<AgentSettings> agents;

  ClusterAdmission(Gates gates, JobSetCharge charge, Supplier<AgentSettings> agents) {
    this.jobSets =
        new JobSetAdmission(AdmissionSettings.of(gates), Schema.of(gates, gates.decoding()));
    this.charge = charge;
    this.agents = agents;
  }

  /** By path. */
  Map<String, AdmissionLink<InterruptedException>> links() {
    return Map.of(
        MUTATE_JOB_SET,
        ours((review, _) -> jobSets.fill(review)),
        VALIDATE_JOB_SET,
        ours(this::judge),
        MUTATE_POD,
        pods(PodPlacement::place),
        VALIDATE_POD,
        pods(PodPlacement::check));
  }

  private Admitted judge(Review review, Lookup lookup) {
    var object = review.object().deepCopy(); // a validating webhook changes nothing
    var judged = jobSets.judge(review, lookup);
    if (judged.refusal().isPresent() || review.operation() != Operation.CREATE) {
      return new Admitted(object, judged.warnings(), judged.errors(), judged.refusalStatus());
    }
    var errors = new ArrayList<FieldError>();
    var warnings = new ArrayList<>(judged.warnings());
    agents(object, errors, warnings);
    return review.judge(object, warnings, errors);
  }

  /** What a cluster may lack for this JobSet's agents. */
  private void agents(ObjectNode jobSet, List<FieldError> errors, List<String> warnings) {
    var checks = new AgentChecks(agents.get(), NamespaceAccounts.ROLE);
    var jobs = Trees.objects(jobSet, "spec", "replicatedJobs");
    for (int i = 0; i < jobs.size(); i++) {
      var job = jobs.get(i);
      var path = FieldPath.of("spec", "replicatedJobs").index(i);
      checks.check(jobSet, job, path, errors, warnings);
      var worker = checks.ranByAgent(jobSet, job);
      Trees.object(job, "template", "spec", "template")
          .ifPresent(template -> {
            var at = path.field("template", "spec", "template");
            errors.addAll(rules.check(template, at, worker));
          });
    }
  }

  /** Where nobody else admits JobSets, also those that others manage are filled in and judged. */
  private AdmissionLink<InterruptedException> ours(AdmissionLink<InterruptedException> link) {
    return switch (charge) {
      case ALL -> link;
      case MARKED ->
          (review, lookup) ->
              charge.covers(review.object()) ? link.admit(review, lookup) : review.unchanged();
    };
  }

  private AdmissionLink<InterruptedException> pods(AdmissionLink<InterruptedException> link) {
    return switch (charge) {
      case ALL -> link;
      case MARKED -> (review, _) -> review.unchanged();
    };
  }
}
