package dev.regroup.api.admission;

import dev.regroup.api.admission.core.CoreAdmission;
import dev.regroup.api.admission.job.JobAdmission;
import dev.regroup.api.admission.jobset.JobSetAdmission;
import dev.regroup.api.admission.pod.PodAdmission;
import dev.regroup.api.admission.pod.PodTemplateAdmission;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.Schema;
import java.util.random.RandomGenerator;

/**
 * The front door: takes a decoded object through defaults, admission plugins, preparation and
 * validation, for every kind the server stores.
 *
 * <p>The caller has decoded the tree ({@code Decoder}) and has set {@code metadata.name} (also from
 * generateName), {@code namespace}, {@code uid} and {@code creationTimestamp} of a new object; it
 * sets {@code resourceVersion} afterwards. Admission sets {@code generation}, the first status, and
 * on updates keeps what the request may not touch (status or spec, uid, times). The given trees are
 * never changed. Any thread; the random source is used for name suffixes only.
 */
public final class Admission {

  private final PodAdmission pods;
  private final PodTemplateAdmission templates;
  private final JobAdmission jobs;
  private final JobSetAdmission jobSets;
  private final CoreAdmission others;

  public Admission(AdmissionSettings settings, RandomGenerator random) {
    this.pods = new PodAdmission(settings, random);
    this.templates = new PodTemplateAdmission(settings);
    this.jobs = new JobAdmission(settings);
    this.others = new CoreAdmission(settings.gates());
    this.jobSets = new JobSetAdmission(settings, Schema.of(settings.gates(), settings.decoding()));
  }

  public Admitted admit(Review review, Lookup lookup) {
    return switch (review.kind().group() + "/" + review.kind().kind()) {
      case "/Pod" -> pods.admit(review, lookup);
      case "/PodTemplate" -> templates.admit(review);
      case "batch/Job" -> jobs.admit(review);
      case "jobset.x-k8s.io/JobSet" -> jobSets.admit(review, lookup);
      default -> others.admit(review);
    };
  }
}
