package dev.regroup.rules.jobset;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a JobSet asks for, after defaulting (jobset.md section 1).
 *
 * @param network empty when no headless Service is wanted
 * @param claims names of the claim templates
 */
public record JobSetSpec(
    String namespace,
    String name,
    String uid,
    List<ReplicatedJob> jobs,
    Optional<Network> network,
    SuccessPolicy successPolicy,
    Optional<FailurePolicy> failurePolicy,
    StartOrder startOrder,
    boolean suspend,
    Optional<Coordinator> coordinator,
    OptionalInt ttlSecondsAfterFinished,
    List<String> claims) {

  /**
   * One replicated job.
   *
   * @param participates has an agent and waits at the barrier (JS-133 a)
   */
  public record ReplicatedJob(
      String name,
      String groupName,
      int replicas,
      int parallelism,
      OptionalInt completions,
      boolean indexed,
      List<Dependency> dependsOn,
      boolean participates) {

    public ReplicatedJob {
      dependsOn = List.copyOf(dependsOn);
    }
  }

  public record Dependency(String name, Until until) {}

  public enum Until {
    READY,
    COMPLETE
  }

  public record Network(String subdomain, boolean publishNotReadyAddresses) {}

  /** {@code targets} empty means every replicated job. */
  public record SuccessPolicy(Operator operator, List<String> targets) {
    public SuccessPolicy {
      targets = List.copyOf(targets);
    }
  }

  public enum Operator {
    ALL,
    ANY
  }

  public record FailurePolicy(int maxRestarts, Strategy strategy, List<FailureRule> rules) {
    public FailurePolicy {
      rules = List.copyOf(rules);
    }
  }

  public enum Strategy {
    RECREATE,
    BLOCKING_RECREATE,
    IN_PLACE_RESTART
  }

  /** One failure rule; an empty list matches everything (JS-87). */
  public record FailureRule(
      String name,
      FailureAction action,
      List<String> reasons,
      List<String> messagePatterns,
      List<String> targets) {

    public FailureRule {
      reasons = List.copyOf(reasons);
      messagePatterns = List.copyOf(messagePatterns);
      targets = List.copyOf(targets);
    }
  }

  /** Actions with their wire names (JS-26). */
  public enum FailureAction {
    FAIL_JOB_SET("FailJobSet"),
    RESTART_JOB_SET("RestartJobSet"),
    RESTART_JOB_SET_AND_IGNORE_MAX_RESTARTS("RestartJobSetAndIgnoreMaxRestarts"),
    RESTART_JOB("RestartJob"),
    RESTART_JOB_AND_IGNORE_MAX_RESTARTS("RestartJobAndIgnoreMaxRestarts");

    private final String wireName;

    FailureAction(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  public enum StartOrder {
    ANY_ORDER,
    IN_ORDER
  }

  public record Coordinator(String replicatedJob, int jobIndex, int podIndex) {}

  public JobSetSpec {
    jobs = List.copyOf(jobs);
    claims = List.copyOf(claims);
  }

  public boolean inPlace() {
    return strategy() == Strategy.IN_PLACE_RESTART;
  }

  Strategy strategy() {
    return failurePolicy.map(FailurePolicy::strategy).orElse(Strategy.RECREATE);
  }

  int maxRestarts() {
    return failurePolicy.map(FailurePolicy::maxRestarts).orElse(0);
  }

  int totalReplicas() {
    return jobs.stream().mapToInt(ReplicatedJob::replicas).sum();
  }

  Optional<ReplicatedJob> job(String jobName) {
    return jobs.stream().filter(job -> job.name().equals(jobName)).findFirst();
  }

  /** The name under which its pods know the coordinator, empty for none (JS-34). */
  public String coordinatorName() {
    return coordinator
        .map(one -> podName(one.replicatedJob(), one.jobIndex(), one.podIndex()))
        .orElse("");
  }

  /** The name of an indexed pod inside the JobSet's subdomain (JS-31). */
  public String podName(String replicatedJob, int jobIndex, int podIndex) {
    var subdomain = network.map(Network::subdomain).orElse(name);
    return childName(replicatedJob, jobIndex) + "-" + podIndex + "." + subdomain;
  }

  /** JS-30. */
  public String childName(String replicatedJob, int index) {
    return name + "-" + replicatedJob + "-" + index;
  }
}
