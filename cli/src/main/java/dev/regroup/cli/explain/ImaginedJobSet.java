package dev.regroup.cli.explain;

import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.Failure;
import dev.regroup.rules.group.GroupPlan;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.group.SlotId;
import dev.regroup.rules.group.Tally;
import dev.regroup.rules.jobset.ChildJob;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.jobset.JobSetSpec;
import dev.regroup.rules.jobset.JobSetStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/** A JobSet whose group is in step when one of its pods shows the outcome of an exit. */
final class ImaginedJobSet {

  private static final Instant NOW = Instant.ofEpochSecond(10_000);

  private final JobSetSpec spec;
  private final JobSetSpec.ReplicatedJob job;
  private final JobSetGates gates;

  ImaginedJobSet(JobSetSpec spec, JobSetSpec.ReplicatedJob job, JobSetGates gates) {
    this.spec = spec;
    this.job = job;
    this.gates = gates;
  }

  /**
   * What follows.
   *
   * @param agentRestarts the container that restarts is the pod's agent, which takes a new attempt
   */
  JobSetOutcome after(PodOutcome pod, JobOutcome outcome, boolean agentRestarts) {
    return switch (outcome.kind()) {
      case FAILS -> failed(outcome);
      case COMPLETES -> completed();
      case COUNTS_SUCCESS -> JobSetOutcome.of(JobSetOutcome.Kind.COUNTS_SUCCESS);
      case RECREATES_POD -> group(Sign.Kind.POD_FAILED);
      case FAILS_INDEX -> JobSetOutcome.of(JobSetOutcome.Kind.NOTHING); // JS-160b
      case KEEPS_POD -> {
        if (pod.kind() == PodOutcome.Kind.RESTART_ALL) {
          yield group(Sign.Kind.ALL_CONTAINERS_RESTARTING);
        }
        boolean ahead = agentRestarts && pod.kind() == PodOutcome.Kind.RESTART_CONTAINER;
        yield ahead
            ? group(Sign.Kind.CAME_BACK_AHEAD)
            : JobSetOutcome.of(JobSetOutcome.Kind.NOTHING);
      }
    };
  }

  /** The barrier's decision on a failed attempt, with the whole budget left (JS-89a, JS-160). */
  private JobSetOutcome group(Sign.Kind kind) {
    if (!spec.inPlace() || !gates.inPlaceRestart() || !job.participates()) {
      return JobSetOutcome.of(JobSetOutcome.Kind.NOTHING);
    }
    int places = job.replicas() * job.parallelism();
    var tally =
        new Tally(
            places,
            new TreeMap<>(Map.of(0, places)),
            true,
            Map.of(0, new Failure(SlotId.indexed("job", 0), Sign.of(kind, "pod"))),
            Map.of(),
            false,
            0,
            0,
            0,
            Map.of(),
            List.of(),
            "");
    var running =
        new GroupStatus(
            new Barrier(OptionalInt.of(0), OptionalInt.empty()),
            OptionalInt.of(0),
            0,
            List.of(),
            Optional.empty());
    int budget = spec.failurePolicy().map(JobSetSpec.FailurePolicy::maxRestarts).orElse(0);
    var situation =
        new GroupPlan.Situation(
            budget,
            0,
            0,
            0,
            GroupPlan.Mood.RUNNING,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    return switch (GroupPlan.decide(tally, running, situation, NOW).step()) {
      case GroupPlan.Step.Restart(_, boolean counted) ->
          new JobSetOutcome(JobSetOutcome.Kind.RESTARTS_IN_PLACE, "", counted ? budget : -1);
      case GroupPlan.Step.Recreate(_, boolean counted) ->
          new JobSetOutcome(JobSetOutcome.Kind.RECREATES_ALL, "", counted ? budget : -1);
      case GroupPlan.Step.Fail() ->
          new JobSetOutcome(JobSetOutcome.Kind.FAILS, "ReachedMaxRestarts", -1);
      case GroupPlan.Step.Rest _, GroupPlan.Step.Lift _ ->
          JobSetOutcome.of(JobSetOutcome.Kind.NOTHING);
    };
  }

  private JobSetOutcome failed(JobOutcome outcome) {
    var end = new ChildJob.End.Failed(outcome.reason(), outcome.message(), NOW);
    var status = plan(List.of(child(job, 0, end)));
    var failed = status.condition(JobSetStatus.Type.FAILED);
    if (failed.isPresent() && failed.get().on()) {
      return new JobSetOutcome(JobSetOutcome.Kind.FAILS, failed.get().reason(), -1);
    }
    boolean all = status.restarts() > 0;
    boolean counted =
        all
            ? status.restartsCountTowardsMax() > 0
            : status.replicatedJobs().stream()
                .anyMatch(one -> one.jobRestartsCountTowardsMax().contains(1));
    int budget = spec.failurePolicy().map(JobSetSpec.FailurePolicy::maxRestarts).orElse(0);
    return new JobSetOutcome(
        all ? JobSetOutcome.Kind.RECREATES_ALL : JobSetOutcome.Kind.RECREATES_JOB,
        "",
        counted ? budget : -1);
  }

  /** One Job is complete: is the JobSet (JS-85)? */
  private JobSetOutcome completed() {
    var status = plan(List.of(child(job, 0, new ChildJob.End.Complete())));
    return JobSetOutcome.of(
        status.is(JobSetStatus.Type.COMPLETED)
            ? JobSetOutcome.Kind.COMPLETES
            : JobSetOutcome.Kind.COUNTS_SUCCESS);
  }

  private JobSetStatus plan(List<ChildJob> jobs) {
    return JobSetPlan.plan(
            spec,
            JobSetStatus.EMPTY,
            gates,
            jobs,
            new JobSetPlan.World(true, Set.copyOf(spec.claims())),
            Optional.empty(),
            FailurePatterns::found,
            NOW)
        .status();
  }

  private ChildJob child(JobSetSpec.ReplicatedJob entry, int index, ChildJob.End end) {
    return new ChildJob(
        spec.childName(entry.name(), index),
        "uid-" + index,
        entry.name(),
        OptionalInt.of(index),
        OptionalInt.of(0),
        OptionalInt.of(0),
        false,
        false,
        true,
        end,
        0,
        0,
        0,
        entry.parallelism(),
        entry.completions());
  }
}
