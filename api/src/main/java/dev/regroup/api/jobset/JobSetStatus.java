package dev.regroup.api.jobset;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the controller found (jobset.md JS-28). {@code restarts} is always written, also when 0;
 * lists are never null here and are left out when empty.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobSetStatus(
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Condition> conditions,
    int restarts,
    @Nullable Integer restartsCountTowardsMax,
    @Nullable String terminalState,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<ReplicatedJobStatus> replicatedJobsStatus,
    @Nullable Integer previousInPlaceRestartAttempt,
    @Nullable Integer currentInPlaceRestartAttempt,
    @Nullable Integer deprecatedEpoch,
    @Nullable Integer syncedEpoch,
    @Nullable Integer uncountedInPlaceRestartAttempts,
    @Nullable Integer inPlaceRestartsCountTowardsMax,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<InPlaceRestart> inPlaceRestarts,
    @Nullable RestartRequest lastRestartRequest) {

  public static final JobSetStatus EMPTY =
      new JobSetStatus(
          List.of(), 0, null, null, List.of(), null, null, null, null, null, null, List.of(), null);

  public JobSetStatus {
    conditions = copy(conditions);
    replicatedJobsStatus = copy(replicatedJobsStatus);
    inPlaceRestarts = copy(inPlaceRestarts);
  }

  private static <T> List<T> copy(@Nullable List<T> list) {
    return list == null ? List.of() : List.copyOf(list);
  }

  /** Counts per replicated Job (JS-28e). */
  public record ReplicatedJobStatus(
      String name,
      int ready,
      int succeeded,
      int failed,
      int active,
      int suspended,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Integer> jobRestarts,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Integer> jobRestartsCountTowardsMax) {
    public ReplicatedJobStatus {
      jobRestarts = copy(jobRestarts);
      jobRestartsCountTowardsMax = copy(jobRestartsCountTowardsMax);
    }
  }

  /** One group restart, newest first; ten are kept (JS-28l). */
  public record InPlaceRestart(
      int attempt,
      @Nullable String startedAt,
      @Nullable String liftedAt,
      @Nullable String pod,
      @Nullable String container,
      @Nullable Integer exitCode,
      @Nullable String reason,
      boolean counted) {}

  /** The last restart on demand that was served (JS-28m, JS-167). */
  public record RestartRequest(@Nullable String requestID, @Nullable String time) {}
}
