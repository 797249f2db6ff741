package dev.regroup.api.jobset;

import dev.regroup.rules.jobset.JobSetSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How the workers of a JobSet find each other, whatever its restart strategy (JS-168).
 *
 * @param jobs in the order of their global index; the sizes of those that take part, else 0
 * @param master the first worker's name when no coordinator is named
 */
public record Rendezvous(List<Integer> jobs, String master) {

  /** The variables, in the order people write them. */
  public static final List<String> NAMES =
      List.of("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT");

  private static final String MASTER_PORT = "29500";

  public Rendezvous {
    jobs = List.copyOf(jobs);
  }

  /** Empty for a Job that takes no part. */
  public Map<String, String> variables(int globalIndex, int completionIndex, String coordinator) {
    if (globalIndex >= jobs.size() || jobs.get(globalIndex) == 0) {
      return Map.of();
    }
    int before = jobs.stream().limit(globalIndex).mapToInt(Integer::intValue).sum();
    return Map.of(
        "RANK",
        String.valueOf(before + completionIndex),
        "WORLD_SIZE",
        String.valueOf(jobs.stream().mapToInt(Integer::intValue).sum()),
        "MASTER_ADDR",
        coordinator.isEmpty() ? master : coordinator,
        "MASTER_PORT",
        MASTER_PORT);
  }

  public static Rendezvous of(JobSetSpec spec) {
    var jobs = new ArrayList<Integer>();
    var master = "";
    for (var job : spec.jobs()) {
      for (int i = 0; i < job.replicas(); i++) {
        jobs.add(job.participates() ? job.parallelism() : 0);
      }
      if (job.participates() && master.isEmpty()) {
        master = spec.podName(job.name(), 0, 0);
      }
    }
    return new Rendezvous(jobs, master);
  }
}
