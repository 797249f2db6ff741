package dev.regroup.sim;

import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.pod.plan.SimRecord;
import dev.regroup.sim.api.Kind;
import dev.regroup.sim.api.Stored;
import dev.regroup.sim.api.VirtualApi;
import dev.regroup.sim.control.SimJobSets;
import dev.regroup.sim.node.SimMachine;
import dev.regroup.sim.node.SimPod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is left when nothing happens any more: everybody runs at one attempt, or the JobSet has
 * ended and nothing of it runs. Nobody waits for what cannot come.
 */
final class Rest {

  private final VirtualApi api;
  private final List<SimMachine> machines;

  Rest(VirtualApi api, List<SimMachine> machines) {
    this.api = api;
    this.machines = machines;
  }

  void check() {
    var jobSet = api.get(Kind.JOB_SET, Manifest.NAME).orElseThrow();
    var status = jobSet.as(SimJobSets.JOB_SET).status();
    nothingForgotten();
    if (!status.terminalState().isEmpty()) {
      ended(status);
      return;
    }
    var barrier = status.group().barrier();
    Judge.check(barrier.current().isPresent(), "the group never starts");
    Judge.check(!barrier.restarting(), "the group never comes into step: " + barrier);
    everybodyRuns(jobSet, barrier.current().getAsInt());
    if (Orders.recreations(status) == 0) {
      int counted = status.group().counted().orElse(0) + status.group().uncounted();
      Judge.check(
          counted == barrier.current().getAsInt(),
          "%d restarts, %d counted".formatted(barrier.current().getAsInt(), counted));
    }
    boolean ready = api.list(Kind.POD).stream().allMatch(pod -> Judge.isTrue(pod, "Ready"));
    Judge.check(
        !ready || !status.is(JobSetStatus.Type.RESTARTING),
        "the JobSet says for ever that it restarts");
  }

  private void ended(JobSetStatus status) {
    for (var machine : machines) {
      for (var pod : machine.pods()) {
        Judge.check(
            pod.workersUp().isEmpty(),
            pod.name() + " still runs in a JobSet that is " + status.terminalState());
      }
    }
    for (var job : api.list(Kind.JOB)) {
      Judge.check(
          Judge.isTrue(job, "Complete") || Judge.isTrue(job, "Failed"),
          job.name() + " goes on in a JobSet that is " + status.terminalState());
    }
  }

  private void everybodyRuns(Stored jobSet, int attempt) {
    Map<String, Integer> places = new HashMap<>();
    for (var pod : api.list(Kind.POD)) {
      if (Judge.phase(pod).equals("Failed") || pod.deleting()) {
        continue;
      }
      if (Judge.phase(pod).equals("Succeeded")) {
        continue;
      }
      var labels = pod.tree().path("metadata").path("labels");
      places.merge(labels.path("batch.kubernetes.io/job-name").asText(), 1, Integer::sum);
      Judge.check(
          Judge.attempt(pod) == attempt,
          "%s is at %d, not %d".formatted(pod.name(), Judge.attempt(pod), attempt));
      runs(pod);
    }
    var spec = jobSet.as(SimJobSets.JOB_SET).spec();
    for (var job : spec.jobs()) {
      for (int index = 0; index < job.replicas(); index++) {
        var name = spec.childName(job.name(), index);
        var stored = api.get(Kind.JOB, name).orElseThrow();
        int done = stored.tree().path("status").path("succeeded").asInt(0);
        int here = places.getOrDefault(name, 0) + done;
        Judge.check(
            here == job.parallelism(),
            "%s has %d pods, not %d".formatted(name, here, job.parallelism()));
      }
    }
  }

  private void runs(Stored stored) {
    var pod =
        machines.stream()
            .flatMap(machine -> machine.pods().stream())
            .filter(one -> one.uid().equals(stored.uid()))
            .findFirst();
    Judge.check(pod.isPresent(), stored.name() + " is on no machine");
    boolean done =
        pod.orElseThrow().spec.containers().stream()
            .filter(SimPod::isWorker)
            .allMatch(container -> ran(pod.get(), container.name()));
    Judge.check(done, stored.name() + " waits for ever: " + Wording.states(stored));
    Judge.check(
        Judge.isTrue(stored, "Ready") || someDone(pod.get()), stored.name() + " is not ready");
    Judge.check(pod.get().hasNetwork(), stored.name() + " runs without a network");
  }

  private static boolean ran(SimPod pod, String container) {
    return pod.records.values().stream()
        .filter(record -> record.container.equals(container))
        .anyMatch(record -> record.up() || record.exitCode == 0);
  }

  private static boolean someDone(SimPod pod) {
    return pod.records.values().stream()
        .filter(pod::isWorker)
        .anyMatch(record -> !record.up() && record.exitCode == 0);
  }

  /** No pod stays behind that nobody needs: on a machine, or in the API for its finalizer. */
  private void nothingForgotten() {
    Set<String> known = new HashSet<>();
    for (var pod : api.list(Kind.POD)) {
      known.add(pod.uid());
      Judge.check(!pod.deleting(), pod.name() + " is deleted and never goes");
      boolean over = Judge.phase(pod).equals("Failed") || Judge.phase(pod).equals("Succeeded");
      Judge.check(
          !over || VirtualApi.finalizers(pod.tree()).isEmpty(),
          pod.name() + " has ended and is never counted");
    }
    for (var job : api.list(Kind.JOB)) {
      Judge.check(!job.deleting(), job.name() + " is deleted and never goes");
    }
    for (var machine : machines) {
      if (machine.vanished()) {
        continue;
      }
      for (var pod : machine.pods()) {
        Judge.check(known.contains(pod.uid()), pod.name() + " is left on " + machine.name());
        Judge.check(
            pod.records.values().stream()
                .filter(SimRecord::up)
                .allMatch(r -> pod.sandbox.isReady()),
            pod.name() + " runs outside its sandbox");
      }
    }
  }
}
