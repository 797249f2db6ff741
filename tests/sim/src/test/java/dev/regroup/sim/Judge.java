package dev.regroup.sim;

import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.pod.StopReason;
import dev.regroup.rules.pod.plan.SimRecord;
import dev.regroup.rules.pod.plan.World;
import dev.regroup.sim.api.Kind;
import dev.regroup.sim.api.Stored;
import dev.regroup.sim.api.VirtualApi;
import dev.regroup.sim.node.PodWitness;
import dev.regroup.sim.node.SimMachine;
import dev.regroup.sim.node.SimPod;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sees everything as it really is and says when something happens that must not (design.md section
 * 9). Looks at every write and at every start and end of a container; {@link Orders} judges what
 * the group is told, {@link Rest} what is left when nothing happens any more.
 */
final class Judge implements PodWitness {

  private final Simulation sim;
  private final VirtualApi api;
  private final List<SimMachine> machines;
  private final Troubles troubles = new Troubles();
  private final Orders orders;
  private final Set<String> unreachable = new HashSet<>();

  Judge(Simulation sim, VirtualApi api, List<SimMachine> machines) {
    this.sim = sim;
    this.api = api;
    this.machines = machines;
    this.orders = new Orders(sim, troubles, this::runaway);
    api.witness(this::wrote);
  }

  static void check(boolean holds, String what) {
    if (!holds) {
      throw new World.Broken(what);
    }
  }

  Orders orders() {
    return orders;
  }

  // ---- writes ----------------------------------------------------------------------------------

  private void wrote(@Nullable Stored before, @Nullable Stored after) {
    var any = after != null ? after : before;
    if (any == null) {
      return;
    }
    switch (any.kind()) {
      case JOB_SET -> {
        if (after != null) {
          asked(before, after);
          orders.wrote(before, after);
          if (lifted(before, after)) {
            nobodyElseRuns(orders.barrier().current().getAsInt());
          }
        }
      }
      case JOB -> endIsFinal(before, after, "Complete", "Failed");
      case POD -> podWrote(before, after);
      case NODE -> {
        if (after != null && before != null && isTrue(before, "Ready") && !isTrue(after, "Ready")) {
          unreachable(after.name());
        }
      }
    }
  }

  private void unreachable(String node) {
    for (var pod : api.list(Kind.POD)) {
      if (pod.tree().path("spec").path("nodeName").asText().equals(node)) {
        troubles.add(attempt(pod), pod.name(), Troubles.Kind.SHAKEN);
        unreachable.add(pod.uid());
      }
    }
  }

  /** A request is served in the running attempt, or in the next one. */
  private void asked(@Nullable Stored before, Stored after) {
    if (before != null && !request(before).equals(request(after))) {
      int current = Orders.barrier(after).current().orElse(-1);
      troubles.add(current, "", Troubles.Kind.REQUESTED);
      troubles.add(current + 1, "", Troubles.Kind.REQUESTED);
    }
  }

  private static String request(Stored jobSet) {
    return jobSet
        .tree()
        .path("metadata")
        .path("annotations")
        .path(JobSetKeys.RESTART_REQUEST)
        .asText("");
  }

  private boolean lifted(@Nullable Stored before, Stored after) {
    return before != null
        && !Orders.barrier(before).current().equals(Orders.barrier(after).current());
  }

  private void podWrote(@Nullable Stored before, @Nullable Stored after) {
    if (before != null) {
      var was = phase(before);
      boolean over = was.equals("Succeeded") || was.equals("Failed");
      check(
          after == null || !over || phase(after).equals(was),
          before.name() + " was " + was + " and lives again");
      boolean failing = after == null || (after.deleting() && !before.deleting());
      if (failing && !over) {
        troubles.add(attempt(before), before.name(), Troubles.Kind.POD_GONE);
      }
    }
    if (after != null) {
      boolean surplus =
          after.deleting() && before != null && attempt(after) > attempt(before) && !indexed(after);
      if (surplus) { // a place of its own: the group takes its end for a failure
        troubles.add(attempt(after), after.name(), Troubles.Kind.POD_GONE);
      }
      if (unreachable.contains(after.uid()) && before != null && attempt(after) > attempt(before)) {
        troubles.add(attempt(after), after.name(), Troubles.Kind.SHAKEN); // sent before, or since
      }
      orders.reported(after, attempt(after));
      sim.say(() -> Wording.of(after));
    } else {
      sim.say(() -> "  " + before.name() + " is gone");
    }
  }

  private static void endIsFinal(@Nullable Stored before, @Nullable Stored after, String... ends) {
    if (before == null || after == null) {
      return;
    }
    for (var end : ends) {
      boolean was = isTrue(before, end);
      check(!was || isTrue(after, end), before.name() + " was " + end + " and is not any more");
    }
  }

  static boolean isTrue(Stored object, String condition) {
    for (var one : object.tree().path("status").path("conditions")) {
      if (one.path("type").asText().equals(condition)) {
        return one.path("status").asText().equals("True");
      }
    }
    return false;
  }

  private static boolean indexed(Stored pod) {
    return pod.tree()
        .path("metadata")
        .path("labels")
        .has("batch.kubernetes.io/job-completion-index");
  }

  static String phase(Stored pod) {
    return pod.tree().path("status").path("phase").asText();
  }

  /** What the pod last reported; -1 for nothing. */
  static int attempt(Stored pod) {
    return pod.tree()
        .path("metadata")
        .path("annotations")
        .path(JobSetKeys.IN_PLACE_RESTART_ATTEMPT)
        .asInt(-1);
  }

  private boolean runaway(int most) {
    for (var pod : api.list(Kind.POD)) {
      for (var container : pod.tree().path("status").path("initContainerStatuses")) {
        if (container.path("restartCount").asInt() > most) {
          return true;
        }
      }
    }
    return false;
  }

  // ---- containers ------------------------------------------------------------------------------

  @Override
  public void started(SimPod pod, SimRecord record) {
    sim.say(() -> pod.name() + " starts " + record.container + ", at " + pod.cycle.attempt());
    if (!pod.isWorker(record) || stored(pod).isEmpty()) {
      return;
    }
    int attempt = pod.cycle.attempt().orElse(-1);
    Barrier barrier = orders.barrier();
    check(
        barrier.current().equals(OptionalInt.of(attempt)),
        "%s runs attempt %d, the group is at %s".formatted(pod.name(), attempt, barrier));
    nobodyElseRuns(attempt);
  }

  /** Barrier safety: workers of one attempt at a time, but for pods that were given up. */
  private void nobodyElseRuns(int attempt) {
    for (var machine : machines) {
      for (var pod : machine.pods()) {
        if (pod.cycle.attempt().orElse(-1) != attempt
            && !pod.workersUp().isEmpty()
            && stored(pod).isPresent()) {
          throw new World.Broken(
              "%s still runs attempt %d beside %d"
                  .formatted(pod.name(), pod.cycle.attempt().orElse(-1), attempt));
        }
      }
    }
  }

  private Optional<Stored> stored(SimPod pod) {
    return api.get(Kind.POD, pod.name()).filter(one -> one.uid().equals(pod.uid()));
  }

  @Override
  public void ended(SimPod pod, SimRecord record) {
    sim.say(() ->
        "%s: %s ends with %d %s"
            .formatted(pod.name(), record.container, record.exitCode, record.stopReason));
    boolean byItself =
        record.stopReason != StopReason.RESTART_ALL && record.stopReason != StopReason.POD_END;
    if (byItself && record.exitCode != 0) {
      int attempt = pod.cycle.attempt().orElse(pod.cycle.attemptFloor());
      if (pod.isWorker(record)) {
        troubles.exit(attempt, pod.name(), record.container, record.exitCode);
      } else {
        troubles.add(attempt, pod.name(), Troubles.Kind.OTHER_EXIT);
      }
    }
  }

  @Override
  public void shaken(SimPod pod, String why) {
    int attempt = pod.cycle.attempt().orElse(pod.cycle.attemptFloor());
    troubles.add(attempt, pod.name(), Troubles.Kind.SHAKEN);
  }

  void atTheEnd(boolean rests) {
    check(rests, "the world never rests");
    new Rest(api, machines).check();
  }
}
