package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.PodEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A plan being written: effects in order, the earliest wake-up, why containers wait. */
final class Draft {
  private final List<Effect> effects = new ArrayList<>();
  private final Map<String, Waiting> waits = new HashMap<>();
  private Instant wakeUp = Instant.MAX;

  void add(Effect effect) {
    effects.add(effect);
  }

  void emit(PodEvent event) {
    effects.add(new Effect.Emit(event));
  }

  void wakeAt(Instant time) {
    if (time.isBefore(wakeUp)) {
      wakeUp = time;
    }
  }

  /** The container is due to start but has to wait for this (STS-13, BKO-05, JS-165). */
  void waits(String container, String reason, String message) {
    waits.put(container, new Waiting(reason, message));
  }

  List<Effect> effects() {
    return effects;
  }

  Map<String, Waiting> waits() {
    return waits;
  }

  Instant wakeUp() {
    return wakeUp;
  }
}
