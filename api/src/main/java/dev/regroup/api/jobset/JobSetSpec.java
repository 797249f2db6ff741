package dev.regroup.api.jobset;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.batch.v1.JobTemplateSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a user asks for (jobset.md JS-3 to JS-27). Lists are never null; absent means empty. */
public record JobSetSpec(
    List<ReplicatedJob> replicatedJobs,
    @Nullable Network network,
    @Nullable SuccessPolicy successPolicy,
    @Nullable FailurePolicy failurePolicy,
    @Nullable StartupPolicy startupPolicy,
    @Nullable Boolean suspend,
    @Nullable Coordinator coordinator,
    @Nullable String managedBy,
    @Nullable Integer ttlSecondsAfterFinished,
    List<VolumeClaimPolicy> volumeClaimPolicies) {

  public static final JobSetSpec EMPTY =
      new JobSetSpec(List.of(), null, null, null, null, null, null, null, null, List.of());

  public JobSetSpec {
    replicatedJobs = copy(replicatedJobs);
    volumeClaimPolicies = copy(volumeClaimPolicies);
  }

  public boolean suspended() {
    return Boolean.TRUE.equals(suspend);
  }

  public boolean restartsInPlace() {
    return failurePolicy != null && FailurePolicy.IN_PLACE.equals(failurePolicy.restartStrategy());
  }

  private static <T> List<T> copy(@Nullable List<T> list) {
    return list == null ? List.of() : List.copyOf(list);
  }

  /** One entry of {@code replicatedJobs} (JS-4 to JS-8). */
  public record ReplicatedJob(
      String name,
      @Nullable String groupName,
      JobTemplateSpec template,
      @Nullable Integer replicas,
      List<DependsOn> dependsOn) {

    public ReplicatedJob {
      name = name == null ? "" : name;
      template = template == null ? new JobTemplateSpec() : template;
      dependsOn = copy(dependsOn);
    }
  }

  /** Another entry that must be {@code Ready} or {@code Complete} first (JS-8). */
  public record DependsOn(String name, String status) {}

  /** DNS names of the pods (JS-9 to JS-12). */
  public record Network(
      @JsonProperty("enableDNSHostnames") @Nullable Boolean enableDnsHostnames,
      @Nullable String subdomain,
      @Nullable Boolean publishNotReadyAddresses) {}

  /** When the JobSet is complete: operator {@code All} or {@code Any} (JS-13 to JS-15). */
  public record SuccessPolicy(String operator, List<String> targetReplicatedJobs) {
    public SuccessPolicy {
      operator = operator == null ? "All" : operator;
      targetReplicatedJobs = copy(targetReplicatedJobs);
    }
  }

  /** What a failed Job means (JS-16 to JS-19). */
  public record FailurePolicy(
      @Nullable Integer maxRestarts, @Nullable String restartStrategy, List<FailureRule> rules) {
    public static final String RECREATE = "Recreate";
    public static final String BLOCKING_RECREATE = "BlockingRecreate";
    public static final String IN_PLACE = "InPlaceRestart";

    public FailurePolicy {
      rules = copy(rules);
    }
  }

  /** The first rule that matches a failed Job decides (JS-26). Empty lists match everything. */
  public record FailureRule(
      String name,
      String action,
      List<String> onJobFailureReasons,
      List<String> onJobFailureMessagePatterns,
      List<String> targetReplicatedJobs) {
    public FailureRule {
      name = name == null ? "" : name;
      action = action == null ? "" : action;
      onJobFailureReasons = copy(onJobFailureReasons);
      onJobFailureMessagePatterns = copy(onJobFailureMessagePatterns);
      targetReplicatedJobs = copy(targetReplicatedJobs);
    }
  }

  /** {@code AnyOrder} or {@code InOrder} (JS-20). */
  public record StartupPolicy(String startupPolicyOrder) {}

  /** The pod whose name every pod gets to know (JS-22); an absent index is 0. */
  public record Coordinator(
      String replicatedJob, @Nullable Integer jobIndex, @Nullable Integer podIndex) {}

  /** Claims made for the JobSet (JS-25). */
  public record VolumeClaimPolicy(
      List<PersistentVolumeClaim> templates, @Nullable RetentionPolicy retentionPolicy) {
    public VolumeClaimPolicy {
      templates = copy(templates);
    }
  }

  /** {@code Delete} or {@code Retain} (JS-25). */
  public record RetentionPolicy(@Nullable String whenDeleted) {}
}
