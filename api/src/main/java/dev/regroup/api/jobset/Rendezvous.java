package dev.regroup.api.jobset;

import com.fasterxml.jackson.databind.JsonNode;
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

  /** Whether the Jobs of this entry of a JobSet take part. */
  public static boolean takesPart(JsonNode replicatedJob) {
    var annotations = replicatedJob.path("template").path("metadata").path("annotations");
    return !annotations.path(JobSetKeys.INJECT_AGENT).asText("").equals("none");
  }

  /** The name under which the pods of a JobSet know the coordinator (JS-34); empty for none. */
  public static String coordinator(JsonNode jobSet) {
    var one = jobSet.path("spec").path("coordinator");
    return one.isObject()
        ? address(
            jobSet,
            one.path("replicatedJob").asText(""),
            one.path("jobIndex").asLong(0),
            one.path("podIndex").asLong(0))
        : "";
  }

  public static Rendezvous read(JsonNode jobSet) {
    var jobs = new ArrayList<Integer>();
    var master = "";
    for (var replicated : jobSet.path("spec").path("replicatedJobs")) {
      boolean takesPart = takesPart(replicated);
      int parallelism = replicated.path("template").path("spec").path("parallelism").asInt(1);
      for (int i = 0; i < replicated.path("replicas").asInt(1); i++) {
        jobs.add(takesPart ? parallelism : 0);
      }
      if (takesPart && master.isEmpty()) {
        master = address(jobSet, replicated.path("name").asText(), 0, 0);
      }
    }
    return new Rendezvous(jobs, master);
  }

  private static String address(JsonNode jobSet, String replicatedJob, long job, long pod) {
    var name = jobSet.path("metadata").path("name").asText("");
    var subdomain = jobSet.path("spec").path("network").path("subdomain").asText("");
    return "%s-%s-%d-%d.%s"
        .formatted(name, replicatedJob, job, pod, subdomain.isEmpty() ? name : subdomain);
  }
}
