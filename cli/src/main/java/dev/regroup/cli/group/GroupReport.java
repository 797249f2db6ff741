package dev.regroup.cli.group;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.jobset.JobSetStatusReader;
import dev.regroup.api.pod.GroupPodReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.group.AttemptReport;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.jobset.JobSetSpec;
import dev.regroup.rules.jobset.JobSetStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/**
 * Where a JobSet stands, from the object and its pods: the attempt, who is missing at the barrier
 * and why, the budget, the restarts so far. A pure function; the fields are those of {@code -o
 * json}.
 *
 * @param state one word for the column
 * @param used restarts that count
 * @param allowed of them
 */
public record GroupReport(
    String namespace,
    String name,
    String state,
    OptionalInt attempt,
    int arrived,
    int expected,
    int used,
    int allowed,
    boolean inPlace,
    List<Missing> missing,
    List<InPlaceRestart> restarts,
    List<String> conditions) {

  /** A worker that is not at the attempt it should be at. */
  public record Missing(String pod, String why) {}

  public GroupReport {
    missing = List.copyOf(missing);
    restarts = List.copyOf(restarts);
    conditions = List.copyOf(conditions);
  }

  /**
   * Reads the object and its pods.
   *
   * @param pods of the JobSet, by its label
   */
  public static GroupReport of(ObjectNode jobSet, List<ObjectNode> pods) {
    var spec = JobSetReader.spec(jobSet);
    var status = JobSetStatusReader.read(jobSet.path("status"));
    boolean inPlace = JobSetReader.restartsInPlace(jobSet);
    var barrier = status.group().barrier();
    var target = new AttemptReport.At(barrier.target());
    var live = pods.stream().filter(GroupReport::isLive).toList();
    int expected =
        inPlace && !status.finished()
            ? JobSetPlan.roster(spec, status).expected()
            : participants(spec);
    var missing = new ArrayList<Missing>();
    int arrived = 0;
    for (var pod : live) {
      if (!inPlace
          || target.equals(GroupPodReader.report(Trees.at(pod, "metadata", "annotations")))) {
        arrived++;
      } else {
        missing.add(new Missing(Trees.text(pod, "metadata", "name"), why(pod)));
      }
    }
    int made = live.size() + (int) pods.stream().filter(GroupReport::isDone).count();
    for (int absent = made; absent < expected && !status.finished(); absent++) {
      missing.add(new Missing("(not made yet)", "its Job has not made the pod"));
    }
    missing.sort(Comparator.comparing(Missing::pod));
    return new GroupReport(
        spec.namespace(),
        spec.name(),
        state(spec, status, jobSet),
        barrier.current(),
        arrived,
        expected,
        status.restartsCountTowardsMax() + status.group().counted().orElse(0),
        spec.failurePolicy().map(JobSetSpec.FailurePolicy::maxRestarts).orElse(0),
        inPlace,
        status.finished() ? List.of() : missing,
        status.group().restarts(),
        status.conditions().stream()
            .filter(JobSetStatus.Condition::on)
            .map(one -> "%s (%s): %s".formatted(one.type(), one.reason(), one.message()))
            .toList());
  }

  private static int participants(JobSetSpec spec) {
    return spec.jobs().stream()
        .filter(JobSetSpec.ReplicatedJob::participates)
        .mapToInt(job -> job.replicas() * job.parallelism())
        .sum();
  }

  private static boolean isLive(ObjectNode pod) {
    var phase = Trees.text(pod, "status", "phase");
    return !Trees.has(pod, "metadata", "deletionTimestamp")
        && !phase.equals("Failed")
        && !phase.equals("Succeeded")
        && !Trees.text(pod, "metadata", "annotations", JobSetKeys.INJECT_AGENT).equals("none");
  }

  private static boolean isDone(ObjectNode pod) {
    return Trees.text(pod, "status", "phase").equals("Succeeded")
        && !Trees.has(pod, "metadata", "deletionTimestamp");
  }

  private static String state(JobSetSpec spec, JobSetStatus status, ObjectNode jobSet) {
    if (!status.terminalState().isEmpty()) {
      return status.terminalState();
    }
    if (Trees.has(jobSet, "metadata", "deletionTimestamp")) {
      return "Terminating";
    }
    if (spec.suspend()) {
      return "Suspended";
    }
    if (status.is(JobSetStatus.Type.RESTARTING)) {
      return "Restarting";
    }
    boolean waits =
        JobSetReader.restartsInPlace(jobSet) && status.group().barrier().current().isEmpty();
    return waits ? "Starting" : "Running";
  }

  /** The first thing that keeps a pod from its attempt, in the words of Kubernetes. */
  private static String why(ObjectNode pod) {
    for (var condition : Trees.objects(pod, "status", "conditions")) {
      if (Trees.text(condition, "type").equals("PodScheduled")
          && Trees.text(condition, "status").equals("False")) {
        return "not scheduled: " + Trees.text(condition, "message");
      }
    }
    for (String list : List.of("initContainerStatuses", "containerStatuses")) {
      for (var status : Trees.objects(pod, "status", list)) {
        var reason = Trees.text(status, "state", "waiting", "reason");
        if (!reason.isEmpty() && !reason.equals("PodInitializing")) {
          var message = Trees.text(status, "state", "waiting", "message");
          return "%s: %s%s"
              .formatted(
                  Trees.text(status, "name"), reason, message.isEmpty() ? "" : ", " + message);
        }
      }
    }
    var attempt = Trees.text(pod, "metadata", "annotations", JobSetKeys.IN_PLACE_RESTART_ATTEMPT);
    return attempt.isEmpty() ? "its agent has written no attempt" : "still at attempt " + attempt;
  }

  /** For programs. */
  public ObjectNode json() {
    var json = Wire.object();
    json.put("namespace", namespace).put("name", name).put("state", state);
    json.put("inPlace", inPlace);
    attempt.ifPresent(number -> json.put("attempt", number));
    var barrier = json.putObject("barrier").put("arrived", arrived).put("expected", expected);
    var absent = barrier.putArray("missing");
    missing.forEach(one -> absent.addObject().put("pod", one.pod()).put("why", one.why()));
    json.putObject("budget").put("used", used).put("allowed", allowed);
    var history = json.putArray("restarts");
    for (var restart : restarts) {
      var line = history.addObject().put("attempt", restart.attempt());
      line.put("startedAt", restart.startedAt().toString());
      if (restart.liftedAt() != null) {
        line.put("liftedAt", restart.liftedAt().toString());
      }
      line.put("reason", restart.cause().kind().wireName());
      line.put("pod", restart.cause().pod()).put("container", restart.cause().container());
      restart.cause().exitCode().ifPresent(code -> line.put("exitCode", code));
      line.put("counted", restart.counted());
    }
    var on = json.putArray("conditions");
    conditions.forEach(on::add);
    return json;
  }

  /** Which pods of a namespace belong to it. */
  public static String selector(String jobSet) {
    return JobSetKeys.JOBSET_NAME + "=" + jobSet;
  }
}
