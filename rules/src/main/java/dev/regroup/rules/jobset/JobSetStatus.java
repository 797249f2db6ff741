package dev.regroup.rules.jobset;

import dev.regroup.rules.group.GroupStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Status of a JobSet (jobset.md section 1.4). */
public record JobSetStatus(
    List<Condition> conditions,
    int restarts,
    int restartsCountTowardsMax,
    String terminalState,
    List<ReplicatedJobStatus> replicatedJobs,
    GroupStatus group) {

  /** Condition types with their wire names (JS-96). */
  public enum Type {
    COMPLETED("Completed"),
    FAILED("Failed"),
    SUSPENDED("Suspended"),
    RESTARTING("RestartingJobSet"),
    STARTUP_IN_PROGRESS("StartupPolicyInProgress"),
    STARTUP_COMPLETED("StartupPolicyCompleted"),
    BARRIER_WAITING("BarrierWaiting");

    private final String wireName;

    Type(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  public record Condition(
      String type, boolean on, String reason, String message, @Nullable Instant changedAt) {}

  /** JS-28e. The two lists are empty until the first restart of a single Job (JS-76). */
  public record ReplicatedJobStatus(
      String name,
      int ready,
      int succeeded,
      int failed,
      int active,
      int suspended,
      List<Integer> jobRestarts,
      List<Integer> jobRestartsCountTowardsMax) {

    public ReplicatedJobStatus {
      jobRestarts = List.copyOf(jobRestarts);
      jobRestartsCountTowardsMax = List.copyOf(jobRestartsCountTowardsMax);
    }

    int jobRestarts(int index) {
      return index < jobRestarts.size() ? jobRestarts.get(index) : 0;
    }
  }

  public static final JobSetStatus EMPTY =
      new JobSetStatus(List.of(), 0, 0, "", List.of(), GroupStatus.UNSET);

  public JobSetStatus {
    conditions = List.copyOf(conditions);
    replicatedJobs = List.copyOf(replicatedJobs);
  }

  public Optional<Condition> condition(Type type) {
    return conditions.stream().filter(one -> one.type().equals(type.wireName())).findFirst();
  }

  public boolean is(Type type) {
    return condition(type).map(Condition::on).orElse(false);
  }

  public boolean finished() {
    return is(Type.COMPLETED) || is(Type.FAILED);
  }

  Optional<ReplicatedJobStatus> replicatedJob(String name) {
    return replicatedJobs.stream().filter(one -> one.name().equals(name)).findFirst();
  }

  /** Recreations of all Jobs and of single ones. */
  int recreations() {
    return restarts + jobRestarts();
  }

  /** Recreations of single Jobs. */
  public int jobRestarts() {
    return replicatedJobs.stream()
        .flatMap(job -> job.jobRestarts().stream())
        .mapToInt(Integer::intValue)
        .sum();
  }

  /** Single Jobs recreated at the cost of the budget. */
  int jobRestartsCounted() {
    return replicatedJobs.stream()
        .flatMap(job -> job.jobRestartsCountTowardsMax().stream())
        .mapToInt(Integer::intValue)
        .sum();
  }

  /** Appended only when True; the time moves only when the status does (JS-96). */
  JobSetStatus with(Type type, boolean on, String reason, String message, Instant now) {
    var known = condition(type);
    if (known.isEmpty() && !on) {
      return this;
    }
    if (known.isPresent()
        && known.get().on() == on
        && known.get().reason().equals(reason)
        && known.get().message().equals(message)) {
      return this;
    }
    boolean flipped = known.isEmpty() || known.get().on() != on;
    var changed =
        new Condition(
            type.wireName(), on, reason, message, flipped ? now : known.get().changedAt());
    var all = new ArrayList<Condition>();
    for (var one : conditions) {
      all.add(one.type().equals(type.wireName()) ? changed : one);
    }
    if (known.isEmpty()) {
      all.add(changed);
    }
    return withConditions(all);
  }

  JobSetStatus withConditions(List<Condition> all) {
    return new JobSetStatus(
        all, restarts, restartsCountTowardsMax, terminalState, replicatedJobs, group);
  }

  JobSetStatus withRestarts(int all, int counted) {
    return new JobSetStatus(conditions, all, counted, terminalState, replicatedJobs, group);
  }

  JobSetStatus withTerminalState(String state) {
    return new JobSetStatus(
        conditions, restarts, restartsCountTowardsMax, state, replicatedJobs, group);
  }

  JobSetStatus withReplicatedJobs(List<ReplicatedJobStatus> all) {
    return new JobSetStatus(
        conditions, restarts, restartsCountTowardsMax, terminalState, all, group);
  }

  JobSetStatus withGroup(GroupStatus next) {
    return new JobSetStatus(
        conditions, restarts, restartsCountTowardsMax, terminalState, replicatedJobs, next);
  }
}
