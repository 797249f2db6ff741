package dev.regroup.api.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.core.CoreAdmission;
import dev.regroup.api.admission.job.JobAdmission;
import dev.regroup.api.admission.jobset.JobSetAdmission;
import dev.regroup.api.admission.pod.PodAdmission;
import dev.regroup.api.admission.pod.PodTemplateAdmission;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

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

  /** Whether pods get a token volume of their service account. */
  public enum TokenVolumes {
    /** As Kubernetes' ServiceAccount plugin: needs a server that issues tokens. */
    MOUNTED,
    /** Left out: no token service runs yet. */
    NONE
  }

  /** What the wiring decides once. */
  public record Settings(Gates gates, Decoding decoding, TokenVolumes tokens) {
    public static Settings of(Gates gates) {
      return new Settings(gates, gates.decoding(), TokenVolumes.NONE);
    }
  }

  /** One write: the wanted object and, for updates, the stored one. */
  public record Review(
      GroupVersionKind kind, Operation operation, ObjectNode object, @Nullable ObjectNode old) {

    /** Accepts the object, or refuses it with all its errors (422). */
    public Admitted judge(ObjectNode result, List<String> warnings, List<FieldError> errors) {
      return errors.isEmpty()
          ? new Admitted(result, warnings, errors, null)
          : new Admitted(
              result,
              warnings,
              errors,
              Statuses.invalid(kind, Trees.text(result, "metadata", "name"), errors));
    }
  }

  private final PodAdmission pods;
  private final PodTemplateAdmission templates;
  private final JobAdmission jobs;
  private final JobSetAdmission jobSets;
  private final CoreAdmission others;

  public Admission(Settings settings, RandomGenerator random) {
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
