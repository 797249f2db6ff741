package dev.regroup.sim;

import static dev.regroup.sim.Judge.check;

import dev.regroup.control.jobset.JobSetView;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.jobset.JobSetSpec;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.sim.api.Stored;
import dev.regroup.sim.control.SimJobSets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Judges what the group is told: orders never go back nor skip, a restart has a reason, is counted
 * once and takes two writes, the budget is exact, the barrier lifts when every place has reported,
 * and what a Job's own policy decides is left to it.
 */
final class Orders {

  private final Simulation sim;
  private final Troubles troubles;
  private final Map<Integer, Set<String>> reported = new HashMap<>();
  private final IntPredicate runaway;
  private Barrier barrier = Barrier.UNSET;
  private int writesSinceLift;
  private boolean fatalCodes;

  /** {@code runaway} tells whether some init container has restarted more often than so. */
  Orders(Simulation sim, Troubles troubles, IntPredicate runaway) {
    this.sim = sim;
    this.troubles = troubles;
    this.runaway = runaway;
  }

  Barrier barrier() {
    return barrier;
  }

  static Barrier barrier(Stored jobSet) {
    return jobSet.as(SimJobSets.JOB_SET).status().group().barrier();
  }

  /** A pod was written; places are indexes, or pods where a Job has none. */
  void reported(Stored pod, int attempt) {
    var labels = pod.tree().path("metadata").path("labels");
    var job = labels.path("batch.kubernetes.io/job-name").asText();
    var index = labels.path("batch.kubernetes.io/job-completion-index").asText(pod.uid());
    if (attempt >= 0) {
      reported.computeIfAbsent(attempt, _ -> new HashSet<>()).add(job + "/" + index);
    }
  }

  void wrote(@Nullable Stored before, Stored after) {
    var now = after.as(SimJobSets.JOB_SET);
    barrier = now.status().group().barrier();
    sim.say(() ->
        "JOBSET %s, counted %s, recreated %d: %s"
            .formatted(
                barrier,
                now.status().group().counted(),
                now.status().restarts(),
                now.status().conditions()));
    if (before == null) {
      return;
    }
    var was = before.as(SimJobSets.JOB_SET);
    moved(was, now);
    budget(was.status(), now);
    check(
        was.status().terminalState().isEmpty()
            || was.status().terminalState().equals(now.status().terminalState()),
        "the JobSet was " + was.status().terminalState() + " and lives again");
  }

  private void moved(JobSetView before, JobSetView after) {
    var was = before.status().group().barrier();
    var is = after.status().group().barrier();
    check(
        is.current().orElse(-1) >= was.current().orElse(-1)
            && is.previous().orElse(-1) >= was.previous().orElse(-1),
        "an order went back: " + was + " to " + is);
    check(
        is.previous().orElse(-1) <= is.current().orElse(-1),
        "an attempt that never ran is told to restart: " + is);
    boolean lifted = !is.current().equals(was.current());
    boolean raised = !is.previous().equals(was.previous());
    check(!lifted || !raised, "two orders in one write: " + was + " to " + is);
    if (!is.equals(was)) {
      writesSinceLift++;
      check(writesSinceLift <= 2, "more than two orders for one restart: " + was + " to " + is);
    }
    if (lifted) {
      writesSinceLift = 0;
      lifted(was, is.current().getAsInt(), after.spec());
    }
    counted(before.status(), after.status(), lifted, raised);
    if (raised && restarts(after) > restarts(before)) {
      reason(is.current().getAsInt(), after.status().group());
    }
  }

  private static int restarts(JobSetView jobSet) {
    var group = jobSet.status().group();
    return group.counted().orElse(0) + group.uncounted();
  }

  private void lifted(Barrier was, int attempt, JobSetSpec spec) {
    check(attempt == was.next(), "lifted from " + was + " to " + attempt);
    int places = 0;
    for (var job : spec.jobs()) {
      places += job.replicas() * job.parallelism();
    }
    int here = reported.getOrDefault(attempt, Set.of()).size();
    check(
        here >= places,
        "lifted to %d when %d of %d places had reported it".formatted(attempt, here, places));
  }

  /** Exactly once: a restart is counted in the write that begins it, and in no other. */
  private static void counted(
      JobSetStatus before, JobSetStatus after, boolean lifted, boolean raised) {
    int more =
        after.group().counted().orElse(0)
            + after.group().uncounted()
            - before.group().counted().orElse(0)
            - before.group().uncounted();
    boolean recreated = recreations(after) > recreations(before);
    if (recreated) {
      check(more <= 0, "a recreation is counted as a restart in place too");
      return;
    }
    boolean ended = !after.terminalState().isEmpty(); // what its Job counts is taken back (AS-57)
    check(more <= 1 && (more >= 0 || ended), more + " restarts are counted at once");
    check(more <= 0 || raised || lifted, "a restart is counted that nobody was told of");
    check(
        !raised || more == 1, "everybody is told to restart, and it is counted " + more + " times");
  }

  static int recreations(JobSetStatus status) {
    return status.restarts()
        + status.replicatedJobs().stream()
            .flatMap(job -> job.jobRestarts().stream())
            .mapToInt(Integer::intValue)
            .sum();
  }

  /** One trigger, one restart, and the right one is named. */
  private void reason(int attempt, GroupStatus group) {
    var found = troubles.at(attempt);
    var newest = group.restarts().getLast();
    check(
        !newest.counted() || !found.isEmpty(),
        "attempt %d is restarted for nothing: %s".formatted(attempt, newest.cause()));
    var cause = newest.cause();
    boolean onlyExits =
        !found.isEmpty() && found.stream().allMatch(one -> one.kind() == Troubles.Kind.WORKER_EXIT);
    if (!onlyExits) {
      return;
    }
    check(
        cause.kind() != Sign.Kind.CAME_BACK_AHEAD,
        "the cause is lost: %s, but it was %s".formatted(cause, found));
    check(
        found.stream().anyMatch(one -> one.pod().equals(cause.pod())),
        "%s is blamed, but it was %s".formatted(cause, found));
    boolean fatal =
        found.stream()
            .anyMatch(one -> one.pod().equals(cause.pod()) && one.code() == Manifest.FATAL);
    check(
        !fatal || found.size() > 1 || !fatalCodes,
        "everybody is told to restart for what the Job's own policy decides: " + cause);
  }

  /** Some codes are decided by the Jobs' own policy. */
  void fatalCodes() {
    fatalCodes = true;
  }

  private void budget(JobSetStatus before, JobSetView after) {
    var status = after.status();
    int max = after.spec().failurePolicy().map(JobSetSpec.FailurePolicy::maxRestarts).orElse(0);
    int used = used(status);
    check(used <= max, "%d restarts are counted, %d are allowed".formatted(used, max));
    boolean ended = before.terminalState().isEmpty() && status.terminalState().equals("Failed");
    if (!ended) {
      return;
    }
    var reason =
        status.condition(JobSetStatus.Type.FAILED).map(JobSetStatus.Condition::reason).orElse("");
    if (reason.equals("ReachedMaxRestarts")) {
      check(
          used == max || runaway.test(max),
          "failed with %d of %d restarts used".formatted(used, max));
      policyFirst(status);
    }
  }

  static int used(JobSetStatus status) {
    return status.restartsCountTowardsMax()
        + status.group().counted().orElse(0)
        + status.replicatedJobs().stream()
            .flatMap(job -> job.jobRestartsCountTowardsMax().stream())
            .mapToInt(Integer::intValue)
            .sum();
  }

  /** A failure that a Job's own policy decides never spends the group's budget. */
  private void policyFirst(JobSetStatus status) {
    boolean byGroup =
        status
            .condition(JobSetStatus.Type.FAILED)
            .filter(
                one -> one.message().equals("jobset failed due to reaching max number of restarts"))
            .isPresent();
    var found = troubles.at(barrier.current().orElse(-1));
    boolean onlyFatal =
        !found.isEmpty()
            && found.stream()
                .allMatch(
                    one -> one.kind() == Troubles.Kind.WORKER_EXIT && one.code() == Manifest.FATAL);
    check(
        !(byGroup && onlyFatal && fatalCodes),
        "the budget is asked for what the Job's own policy decides: " + found);
  }
}
