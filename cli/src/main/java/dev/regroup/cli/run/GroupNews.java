package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is worth saying about a JobSet whose status changed. */
final class GroupNews {

  private final FailureHistory culprits;

  GroupNews(FailureHistory culprits) {
    this.culprits = culprits;
  }

  List<String> of(JsonNode before, JsonNode now) {
    var lines = new ArrayList<String>();
    var was = before.path("status");
    var is = now.path("status");
    inPlace(now, was, is, lines);
    if (is.path("restarts").asInt() > was.path("restarts").asInt()) {
      recreated(now, is, lines);
    }
    jobs(now, was, is, lines);
    if (RunProgress.holds(is, "Completed") && !RunProgress.holds(was, "Completed")) {
      lines.add(RunProgress.title(now) + ": completed"); // its message says "jobset" once more
    }
    if (RunProgress.holds(is, "Suspended") && !RunProgress.holds(was, "Suspended")) {
      lines.add(
          RunProgress.title(now)
              + ": "
              + RunProgress.condition(is, "Suspended").path("message").asText("suspended"));
    }
    return lines;
  }

  /** Who ended the attempt before this restart, in words; empty when nobody did. */
  String cause(JsonNode jobSet, JsonNode restart) {
    String named = restart.path("pod").asText("");
    int generation = jobSet.path("status").path("restarts").asInt();
    var round = new FailureHistory.Round(generation, restart.path("attempt").asInt() - 1);
    Optional<FailureHistory.Fault> first = culprits.of(Workload.key(jobSet), round, named);
    if (first.isPresent()) {
      return first.get().text();
    }
    String reason = restart.path("reason").asText("");
    String words =
        switch (reason) {
          case "PodDeleted" -> "was deleted";
          case "DisruptionTarget" -> "was evicted";
          case "NodeUnreachable" -> "its node cannot be reached";
          case "Requested" -> "a restart was requested";
          case "Resumed" -> "it was resumed";
          case "Scaled" -> "it was scaled";
          case "NextGroup" -> "the next group starts";
          case "PodAhead" -> "came back before anybody saw it fail";
          case "JobFailed" -> "its job failed";
          default ->
              restart.hasNonNull("exitCode")
                  ? "container %s exited with code %d"
                      .formatted(
                          restart.path("container").asText(), restart.path("exitCode").asInt())
                  : reason;
        };
    return named.isEmpty() ? words : named + ": " + words;
  }

  private void inPlace(JsonNode now, JsonNode was, JsonNode is, List<String> lines) {
    String title = RunProgress.title(now);
    int previous = is.path("previousInPlaceRestartAttempt").asInt(-1);
    var newest = is.path("inPlaceRestarts").path(0);
    if (previous > was.path("previousInPlaceRestartAttempt").asInt(-1)
        && newest.path("attempt").asInt(-1) == previous + 1) {
      lines.add("%s: attempt %d is over, all go back in place".formatted(title, previous));
      String cause = cause(now, newest);
      if (!cause.isEmpty()) {
        lines.add("  because of " + cause);
      }
    }
    int current = is.path("currentInPlaceRestartAttempt").asInt(-1);
    if (current > was.path("currentInPlaceRestartAttempt").asInt(-1)) {
      lines.add("%s: all workers are at attempt %d, the barrier lifts".formatted(title, current));
    }
  }

  private void recreated(JsonNode now, JsonNode is, List<String> lines) {
    int times = is.path("restarts").asInt();
    lines.add("%s: all jobs are made anew, recreation %d".formatted(RunProgress.title(now), times));
    var condition = RunProgress.condition(is, "RestartingJobSet");
    String message = condition.path("message").asText("");
    String recreating = "recreating all jobs ";
    if (message.startsWith(recreating)) { // in place it could not go on
      lines.add("  " + message.substring(recreating.length()));
    } else {
      culprits
          .lastBefore(Workload.key(now), times)
          .ifPresent(failure -> lines.add("  because of " + failure.text()));
    }
  }

  private static void jobs(JsonNode now, JsonNode was, JsonNode is, List<String> lines) {
    int before = restartedJobs(was);
    int after = restartedJobs(is);
    if (after > before) {
      int more = after - before;
      lines.add(
          "%s: %s made anew"
              .formatted(RunProgress.title(now), more == 1 ? "a job is" : more + " jobs are"));
    }
  }

  private static int restartedJobs(JsonNode status) {
    int restarts = 0;
    for (JsonNode job : status.path("replicatedJobsStatus")) {
      for (JsonNode times : job.path("jobRestarts")) {
        restarts += times.asInt();
      }
    }
    return restarts;
  }
}
