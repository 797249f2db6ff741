package dev.regroup.rules.jobset;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The child Jobs by class (JS-75), each Job in exactly one: {@code previous} generations, failed,
 * successful, active.
 */
final class Children {

  /** A label is missing or makes no sense; the pass cannot go on (JS-75). */
  static final class Unreadable extends RuntimeException {
    Unreadable(String message) {
      super(message);
    }
  }

  final List<ChildJob> previous = new ArrayList<>();
  final List<ChildJob> failed = new ArrayList<>();
  final List<ChildJob> successful = new ArrayList<>();
  final List<ChildJob> active = new ArrayList<>();
  final Set<String> names = new HashSet<>();

  Children(JobSetSpec spec, JobSetStatus status, JobSetGates gates, List<ChildJob> jobs) {
    for (var job : jobs) {
      names.add(job.name());
      if (previous(spec, status, gates, job)) {
        previous.add(job);
        continue;
      }
      switch (job.end()) {
        case ChildJob.End.Failed _ -> failed.add(job);
        case ChildJob.End.Complete _ -> successful.add(job);
        case ChildJob.End.None _ -> active.add(job);
      }
    }
  }

  private static boolean previous(
      JobSetSpec spec, JobSetStatus status, JobSetGates gates, ChildJob job) {
    if (job.restartAttempt().isEmpty()) {
      throw new Unreadable("job " + job.name() + ": label restart-attempt is not a number");
    }
    if (job.restartAttempt().getAsInt() < status.restarts()) {
      return true;
    }
    if (!gates.restartJob()) {
      return false;
    }
    var replicated = spec.job(job.replicatedJob());
    if (replicated.isEmpty()
        || job.jobIndex().isEmpty()
        || job.jobIndex().getAsInt() >= replicated.get().replicas()) {
      throw new Unreadable("job " + job.name() + ": labels name no Job of this JobSet");
    }
    int wanted =
        status
            .replicatedJob(job.replicatedJob())
            .map(one -> one.jobRestarts(job.jobIndex().getAsInt()))
            .orElse(0);
    return job.jobRestartAttempt().isPresent() && job.jobRestartAttempt().getAsInt() < wanted;
  }

  /** JS-77, sorted by name in descending order (JS-29). */
  List<JobSetStatus.ReplicatedJobStatus> statuses(JobSetSpec spec, JobSetStatus before) {
    var all = new ArrayList<JobSetStatus.ReplicatedJobStatus>();
    for (var job : spec.jobs()) {
      var known = before.replicatedJob(job.name());
      all.add(
          new JobSetStatus.ReplicatedJobStatus(
              job.name(),
              (int) of(active, job).stream().filter(Children::ready).count(),
              of(successful, job).size(),
              of(failed, job).size(),
              (int) of(active, job).stream().filter(one -> one.active() > 0).count(),
              (int) of(active, job).stream().filter(ChildJob::suspended).count(),
              known.map(JobSetStatus.ReplicatedJobStatus::jobRestarts).orElse(List.of()),
              known
                  .map(JobSetStatus.ReplicatedJobStatus::jobRestartsCountTowardsMax)
                  .orElse(List.of())));
    }
    all.sort(Comparator.comparing(JobSetStatus.ReplicatedJobStatus::name).reversed());
    return all;
  }

  static List<ChildJob> of(List<ChildJob> jobs, JobSetSpec.ReplicatedJob replicated) {
    return jobs.stream().filter(job -> job.replicatedJob().equals(replicated.name())).toList();
  }

  private static boolean ready(ChildJob job) {
    int wanted = Math.min(job.parallelism(), job.completions().orElse(job.parallelism()));
    return job.succeeded() + job.ready() >= wanted;
  }
}
