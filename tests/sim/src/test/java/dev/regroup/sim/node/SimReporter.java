package dev.regroup.sim.node;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.node.report.PodReport;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.sim.Plant;
import dev.regroup.sim.Simulation;
import dev.regroup.sim.api.ApiError;
import dev.regroup.sim.api.Line;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Sends the states of one pod in order, as the product's reporter does: a newer state replaces one
 * that nobody has to see, and after an outage only the newest goes out. Dies with its program.
 */
final class SimReporter {

  private static final Set<String> OWN =
      Arrays.stream(PodCondition.Type.values())
          .map(PodCondition.Type::wireName)
          .collect(Collectors.toUnmodifiableSet());

  private record Pending(PodReport report, PodStatus status) {}

  private final Simulation sim;
  private final Line line;
  private final Plant plant;
  private final String name;
  private final String uid;
  private final Deque<Pending> pending = new ArrayDeque<>();
  private Consumer<PodStatus> onAnswer = status -> {};
  private Runnable onIdle = () -> {};
  private int life;
  private boolean busy;

  SimReporter(Simulation sim, Line line, Plant plant, String name, String uid) {
    this.sim = sim;
    this.line = line;
    this.plant = plant;
    this.name = name;
    this.uid = uid;
  }

  void tell(Consumer<PodStatus> answered) {
    onAnswer = answered;
  }

  void die() {
    life++;
    pending.clear();
    onIdle = () -> {};
    busy = false;
  }

  /** Does this once everything handed over was answered; a later wish replaces an earlier one. */
  void whenIdle(Runnable action) {
    if (pending.isEmpty()) {
      action.run();
    } else {
      onIdle = action;
    }
  }

  void publish(PodReport report, PodStatus status) {
    var last = pending.peekLast();
    if (last != null && last.report().equals(report)) {
      return;
    }
    boolean onItsWay = busy && pending.size() == 1;
    if (last != null && !onItsWay && last.report().mustSee().equals(report.mustSee())) {
      pending.removeLast();
    }
    pending.addLast(new Pending(report, status));
    if (!busy) {
      busy = true;
      next(life, 5);
    }
  }

  private void next(int mine, int within) {
    sim.within(within, () -> send(mine));
  }

  private void send(int mine) {
    if (mine != life) {
      return;
    }
    var first = pending.getFirst();
    try {
      plant
          .report(patch(first.report()))
          .ifPresent(patch -> line.call(api -> api.reportStatus(name, patch, OWN)));
      onAnswer.accept(first.status());
      pending.removeFirst();
    } catch (ApiError error) {
      switch (error.reason()) {
        case UNREACHABLE -> {
          var newest = pending.getLast();
          pending.clear();
          pending.add(newest);
          next(mine, 400);
          return;
        }
        case INVALID -> sim.say(() -> name + " status refused: " + error.getMessage());
        case NOT_FOUND, CONFLICT, ALREADY_EXISTS -> {}
      }
      pending.removeFirst();
    }
    if (pending.isEmpty()) {
      busy = false;
      var action = onIdle;
      onIdle = () -> {};
      action.run();
    } else {
      next(mine, 5);
    }
  }

  private ObjectNode patch(PodReport report) {
    var patch = Wire.object();
    var metadata = patch.putObject("metadata").put("uid", uid);
    if (!report.annotations().isEmpty()) {
      var annotations = metadata.putObject("annotations");
      report.annotations().forEach(annotations::put);
    }
    patch.set("status", report.status());
    return patch;
  }
}
