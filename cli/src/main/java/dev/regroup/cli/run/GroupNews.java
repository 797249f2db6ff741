package dev.regroup.cli.run;

import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.jobset.JobSetStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is worth saying about a JobSet whose status changed. */
final class GroupNews {

  private final FailureHistory culprits;

  GroupNews(FailureHistory culprits) {
    this.culprits = culprits;
  }

  List<String> of(String key, String title, JobSetStatus was, JobSetStatus is) {
    var lines = new ArrayList<String>();
    inPlace(key, title, was.group(), is, lines);
    if (is.restarts() > was.restarts()) {
      recreated(key, title, is, lines);
    }
    int jobs = is.jobRestarts() - was.jobRestarts();
    if (jobs > 0) {
      lines.add("%s: %s made anew".formatted(title, jobs == 1 ? "a job is" : jobs + " jobs are"));
    }
    if (is.is(JobSetStatus.Type.COMPLETED) && !was.is(JobSetStatus.Type.COMPLETED)) {
      lines.add(title + ": completed"); // its message says "jobset" once more
    }
    if (is.is(JobSetStatus.Type.SUSPENDED) && !was.is(JobSetStatus.Type.SUSPENDED)) {
      lines.add(title + ": " + message(is, JobSetStatus.Type.SUSPENDED));
    }
    return lines;
  }

  /** Who ended the attempt before this restart, if a container or pod of it failed. */
  Optional<FailureHistory.Fault> culprit(String key, JobSetStatus status, InPlaceRestart restart) {
    return culprits.of(key, ended(status, restart), restart.cause().pod());
  }

  /** Everybody who failed in that attempt. */
  List<FailureHistory.Fault> faults(String key, JobSetStatus status, InPlaceRestart restart) {
    return culprits.in(key, ended(status, restart));
  }

  private static FailureHistory.Round ended(JobSetStatus status, InPlaceRestart restart) {
    return new FailureHistory.Round(status.restarts(), restart.attempt() - 1);
  }

  /** The same in words, also when nobody failed. */
  String cause(String key, JobSetStatus status, InPlaceRestart restart) {
    var sign = restart.cause();
    Optional<FailureHistory.Fault> first = culprit(key, status, restart);
    if (first.isPresent()) {
      return first.get().text();
    }
    String words =
        switch (sign.kind()) {
          case POD_DELETED -> "was deleted";
          case POD_DISRUPTED -> "was evicted";
          case NODE_UNREACHABLE -> "its node cannot be reached";
          case REQUESTED -> "a request to restart";
          case RESUMED -> "its resumption";
          case SCALED -> "its new size";
          case NEXT_GROUP -> "the start of the next group";
          case CAME_BACK_AHEAD -> "came back before anybody saw it fail";
          case JOB_FAILED -> sign.pod().isEmpty() ? "a job that failed" : "its job failed";
          case ALL_CONTAINERS_RESTARTING,
              WORKER_EXITED,
              AGENT_EXITED,
              RESTART_COUNT_ROSE,
              POD_FAILED ->
              sign.exitCode().isPresent()
                  ? "container %s exited with code %d"
                      .formatted(sign.container(), sign.exitCode().getAsInt())
                  : sign.kind().wireName();
        };
    return sign.pod().isEmpty() ? words : sign.pod() + ": " + words;
  }

  private void inPlace(
      String key, String title, GroupStatus was, JobSetStatus now, List<String> lines) {
    var is = now.group();
    int previous = is.barrier().previous().orElse(-1);
    boolean moved = previous > was.barrier().previous().orElse(-1);
    if (moved && !is.restarts().isEmpty() && is.restarts().getLast().attempt() == previous + 1) {
      lines.add("%s: attempt %d is over, all go back in place".formatted(title, previous));
      lines.add("  because of " + cause(key, now, is.restarts().getLast()));
    }
    int current = is.barrier().current().orElse(-1);
    if (current > was.barrier().current().orElse(-1)) {
      lines.add("%s: all workers are at attempt %d, the barrier lifts".formatted(title, current));
    }
  }

  private void recreated(String key, String title, JobSetStatus is, List<String> lines) {
    lines.add("%s: all jobs are made anew, recreation %d".formatted(title, is.restarts()));
    String message = message(is, JobSetStatus.Type.RESTARTING);
    String recreating = "recreating all jobs ";
    if (message.startsWith(recreating)) { // in place it could not go on
      lines.add("  " + message.substring(recreating.length()));
    } else {
      culprits
          .lastBefore(key, is.restarts())
          .ifPresent(failure -> lines.add("  because of " + failure.text()));
    }
  }

  private static String message(JobSetStatus status, JobSetStatus.Type type) {
    return status.condition(type).map(JobSetStatus.Condition::message).orElse("");
  }
}
