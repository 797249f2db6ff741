package dev.regroup.sim;

import dev.regroup.api.Wire;
import dev.regroup.api.tree.Owner;
import dev.regroup.sim.api.Kind;
import dev.regroup.sim.api.Stored;
import dev.regroup.sim.api.VirtualApi;
import dev.regroup.sim.node.SimMachine;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rest of a cluster, which is not on trial: the scheduler, the collector of dependents, and
 * whoever notices that a node is gone and clears up after it. They see the truth and never die.
 */
final class Caretakers {

  private static final long TICK = 10_000;
  private static final long UNKNOWN = 40_000;
  private static final long EVICT = 100_000;
  private static final long DELETE = 130_000;
  private static final long COLLECT = 40_000;

  private final Simulation sim;
  private final VirtualApi api;
  private final List<SimMachine> machines;
  private final Map<String, Long> lastSeen = new HashMap<>();
  private final Map<String, Long> nodeGone = new HashMap<>();
  private long ticksUntil;

  Caretakers(Simulation sim, VirtualApi api, List<SimMachine> machines) {
    this.sim = sim;
    this.api = api;
    this.machines = machines;
    api.witness(this::wrote);
  }

  void start(long until) {
    ticksUntil = until;
    machines.forEach(this::register);
    sim.after(TICK, this::tick);
  }

  private void wrote(@Nullable Stored before, @Nullable Stored after) {
    var any = after != null ? after : before;
    if (any == null) {
      return;
    }
    switch (any.kind()) {
      case POD -> {
        if (before == null) {
          sim.within(40, () -> bind(any.name(), any.uid()));
        } else if (after == null) {
          Owner.controller(any.tree()).ifPresent(owner -> collectSoon(owner.name()));
        }
      }
      case JOB -> {
        if (after == null) {
          sim.within(100, () -> orphans(any.uid()));
        } else if (VirtualApi.inForeground(after)) {
          collectSoon(after.name());
        }
      }
      case JOB_SET, NODE -> {}
    }
  }

  private void bind(String name, String uid) {
    var pod = api.get(Kind.POD, name).filter(one -> one.uid().equals(uid));
    boolean open =
        pod.isPresent()
            && !pod.get().deleting()
            && pod.get().tree().path("spec").path("nodeName").asText("").isEmpty();
    if (!open) {
      return;
    }
    var ready = api.list(Kind.NODE).stream().filter(Caretakers::isReady).toList();
    if (ready.isEmpty()) {
      sim.within(1_000, () -> bind(name, uid));
      return;
    }
    var patch = Wire.object();
    patch.putObject("spec").put("nodeName", sim.oneOf(ready).name());
    api.patch(Kind.POD, name, patch);
  }

  private static boolean isReady(Stored node) {
    return node.tree()
        .path("status")
        .path("conditions")
        .path(0)
        .path("status")
        .asText()
        .equals("True");
  }

  private void collectSoon(String job) {
    sim.within(100, () -> collect(job));
  }

  /** Foreground: the pods first, then the Job. */
  private void collect(String name) {
    var job = api.get(Kind.JOB, name).filter(VirtualApi::inForeground);
    if (job.isEmpty()) {
      return;
    }
    var left = api.ownedBy(Kind.POD, job.get().uid());
    if (left.isEmpty()) {
      api.endForeground(job.get());
      return;
    }
    left.forEach(this::delete);
  }

  private void orphans(String uid) {
    api.ownedBy(Kind.POD, uid).forEach(this::delete);
  }

  private void delete(Stored pod) {
    if (!pod.deleting()) {
      api.delete(Kind.POD, pod.name(), pod.uid(), VirtualApi.Deletion.GRACEFUL);
    }
  }

  // ---- nodes -----------------------------------------------------------------------------------

  private void register(SimMachine machine) {
    var node = Wire.object();
    node.putObject("metadata").put("name", machine.name());
    node.putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", "True");
    api.create(Kind.NODE, node);
    lastSeen.put(machine.name(), sim.millis());
    nodeGone.remove(machine.name());
  }

  private void tick() {
    machines.forEach(this::check);
    for (var pod : api.list(Kind.POD)) {
      var since = nodeGone.get(pod.tree().path("spec").path("nodeName").asText(""));
      if (since != null && sim.millis() - since > COLLECT) {
        sim.say(() -> pod.name() + " is removed: its node is gone");
        disrupt(pod, "Failed");
        api.delete(Kind.POD, pod.name(), pod.uid(), VirtualApi.Deletion.NOW);
      }
    }
    if (sim.millis() < ticksUntil) {
      sim.after(TICK, this::tick);
    }
  }

  private void check(SimMachine machine) {
    var name = machine.name();
    var node = api.get(Kind.NODE, name);
    if (machine.running() && machine.line().open()) {
      lastSeen.put(name, sim.millis());
      if (node.isEmpty()) {
        register(machine);
      } else if (!isReady(node.get())) {
        say(name, "True");
      }
      return;
    }
    long silent = sim.millis() - lastSeen.getOrDefault(name, 0L);
    if (node.isPresent() && silent > UNKNOWN && isReady(node.get())) {
      say(name, "Unknown");
    }
    if (node.isPresent() && silent > EVICT) {
      evict(name);
    }
    if (node.isPresent() && silent > DELETE) {
      sim.say(() -> name + " is given up");
      api.delete(Kind.NODE, name, node.get().uid(), VirtualApi.Deletion.NOW);
      nodeGone.put(name, sim.millis());
    }
  }

  private void say(String node, String ready) {
    sim.say(() -> node + " is ready: " + ready);
    var patch = Wire.object();
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", ready);
    api.patch(Kind.NODE, node, patch);
  }

  private void evict(String node) {
    for (var pod : api.list(Kind.POD)) {
      boolean here = pod.tree().path("spec").path("nodeName").asText("").equals(node);
      var phase = pod.tree().path("status").path("phase").asText();
      if (!here || pod.deleting() || phase.equals("Succeeded") || phase.equals("Failed")) {
        continue;
      }
      disrupt(pod, phase);
      api.delete(Kind.POD, pod.name(), pod.uid(), VirtualApi.Deletion.GRACEFUL);
    }
  }

  /** Marks the pod as the victim of something outside it; one that has ended stays as it is. */
  private void disrupt(Stored pod, String phase) {
    var now = pod.tree().path("status").path("phase").asText();
    if (now.equals("Succeeded") || now.equals("Failed")) {
      return;
    }
    var patch = Wire.object();
    var status = patch.putObject("status").put("phase", phase);
    var conditions = status.putArray("conditions");
    for (var condition : pod.tree().path("status").path("conditions")) {
      if (!condition.path("type").asText().equals("DisruptionTarget")) {
        conditions.add(condition);
      }
    }
    conditions.addObject().put("type", "DisruptionTarget").put("status", "True");
    api.patchStatus(Kind.POD, pod.name(), patch);
  }
}
