package dev.regroup.sim;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.group.Tally;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.jobset.ChildJob;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.plan.PodPlan;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** What a {@link Mistake} does to the values that pass it. Given trees are not changed. */
final class Twist {

  private Twist() {}

  // ---- pods ------------------------------------------------------------------------------------

  static PodPlan effects(PodPlan plan, Consumer<List<Effect>> change) {
    var effects = new ArrayList<>(plan.effects());
    change.accept(effects);
    return new PodPlan(
        effects, plan.status(), plan.wakeUp(), plan.backOff(), plan.standing(), plan.step());
  }

  static Effect oneAttemptBack(Effect effect) {
    return effect instanceof Effect.Remember(var cycle) && cycle.attempt().orElse(0) > 0
        ? new Effect.Remember(cycle.withAttempt(cycle.attempt().getAsInt() - 1))
        : effect;
  }

  static Observed lostRuns(Observed seen) {
    return with(seen, seen.records().stream().map(Twist::running).toList(), seen.backOff());
  }

  static Observed backOff(Observed seen, BackOffMemory memory) {
    return with(seen, seen.records(), memory);
  }

  private static Observed with(Observed seen, List<SeenContainer> records, BackOffMemory backOff) {
    return new Observed(
        seen.cycle(),
        seen.sandbox(),
        records,
        seen.startFailures(),
        seen.lastRuns(),
        seen.previous(),
        backOff,
        seen.group(),
        seen.request(),
        seen.deletion(),
        seen.forcedEnd(),
        seen.startTime(),
        seen.conditions());
  }

  private static SeenContainer running(SeenContainer one) {
    if (!one.reason().equals(SeenContainer.LOST_REASON)) {
      return one;
    }
    return new SeenContainer(
        one.id(),
        one.container(),
        one.run(),
        one.epoch(),
        one.sandbox(),
        one.image(),
        one.fingerprint(),
        SeenContainer.State.RUNNING,
        one.createdAt(),
        one.startedAt(),
        Instant.EPOCH,
        0,
        "",
        "",
        one.stopReason(),
        one.stop(),
        one.postStart(),
        one.probes());
  }

  // ---- objects ---------------------------------------------------------------------------------

  static ObjectNode metadata(ObjectNode patch) {
    return patch.withObjectProperty("metadata");
  }

  static ObjectNode status(ObjectNode patch) {
    return patch.withObjectProperty("status");
  }

  static boolean sameObject(ObjectNode one, ObjectNode other) {
    return one.path("metadata").path("uid").equals(other.path("metadata").path("uid"));
  }

  static boolean isTrue(ObjectNode object, String condition) {
    for (var one : object.path("status").path("conditions")) {
      if (one.path("type").asText().equals(condition)) {
        return one.path("status").asText().equals("True");
      }
    }
    return false;
  }

  static void raise(ObjectNode patch, String field) {
    int value = status(patch).path(field).asInt(0);
    if (value > 0) {
      status(patch).put(field, value + 1);
    }
  }

  static ObjectNode phase(ObjectNode pod, String phase) {
    ObjectNode copy = pod.deepCopy();
    status(copy).put("phase", phase);
    return copy;
  }

  static ObjectNode withoutStatuses(ObjectNode pod) {
    ObjectNode copy = pod.deepCopy();
    status(copy).remove("containerStatuses");
    return copy;
  }

  /** Without last states and without the condition that names who began. */
  static ObjectNode withoutPast(ObjectNode pod) {
    ObjectNode copy = pod.deepCopy();
    for (var list : List.of("initContainerStatuses", "containerStatuses")) {
      for (var one : copy.path("status").path(list)) {
        ((ObjectNode) one).remove("lastState");
      }
    }
    if (copy.path("status").path("conditions") instanceof ArrayNode conditions) {
      conditions.removeIf(one -> one.path("type").asText().equals("AllContainersRestarting"));
    }
    return copy;
  }

  // ---- plans -----------------------------------------------------------------------------------

  static JobPlan effects(JobPlan plan, Consumer<List<JobPlan.Effect>> change) {
    var effects = new ArrayList<>(plan.effects());
    change.accept(effects);
    return new JobPlan(effects, plan.status(), plan.notes(), plan.backOff(), plan.wakeUp());
  }

  static ChildJob nothingDone(ChildJob job) {
    return new ChildJob(
        job.name(),
        job.uid(),
        job.replicatedJob(),
        job.jobIndex(),
        job.restartAttempt(),
        job.jobRestartAttempt(),
        job.deleting(),
        job.suspended(),
        job.started(),
        job.end(),
        job.active(),
        job.ready(),
        0,
        job.parallelism(),
        job.completions());
  }

  static JobSetPlan.Group asked(JobSetPlan.Group seen, GroupRestartRequest request) {
    return new JobSetPlan.Group(
        seen.tally(),
        Optional.of(request),
        seen.waitingSince(),
        seen.oddSince(),
        seen.confirmed(),
        seen.recheck());
  }

  static JobSetPlan.Group expecting(JobSetPlan.Group seen, int places) {
    var tally = seen.tally();
    return with(seen, Math.max(1, places), tally.atAttempt(), tally.failingJobs(), tally.ready());
  }

  static JobSetPlan.Group allAtTheHighest(JobSetPlan.Group seen) {
    var counts = seen.tally().atAttempt();
    if (counts.isEmpty()) {
      return seen;
    }
    int all = counts.values().stream().mapToInt(Integer::intValue).sum();
    return with(
        seen,
        seen.tally().expected(),
        new TreeMap<>(Map.of(counts.lastKey(), all)),
        seen.tally().failingJobs(),
        seen.tally().ready());
  }

  /** Everybody who is expected is counted as here before the plan has been made. */
  static JobSetPlan.Group readyTooSoon(JobSetPlan.Group seen) {
    var tally = seen.tally();
    Map<String, NavigableMap<Integer, Integer>> ready = new LinkedHashMap<>();
    tally
        .ready()
        .forEach((job, counts) -> {
          var more = new TreeMap<>(counts);
          counts.forEach((attempt, count) -> more.put(attempt, tally.expected()));
          ready.put(job, more);
        });
    return with(seen, tally.expected(), tally.atAttempt(), tally.failingJobs(), ready);
  }

  private static JobSetPlan.Group with(
      JobSetPlan.Group seen,
      int expected,
      NavigableMap<Integer, Integer> atAttempt,
      boolean failingJobs,
      Map<String, NavigableMap<Integer, Integer>> ready) {
    var old = seen.tally();
    var tally =
        new Tally(
            expected,
            atAttempt,
            old.exactJobs(),
            old.signs(),
            old.ahead(),
            failingJobs,
            old.succeeded(),
            old.givenUp(),
            old.runaway(),
            ready,
            old.missing(),
            old.corrupt());
    return new JobSetPlan.Group(
        tally,
        seen.request(),
        seen.waitingSince(),
        seen.oddSince(),
        seen.confirmed(),
        seen.recheck());
  }
}
