package dev.regroup.sim.api;

import dev.regroup.sim.Simulation;
import java.util.List;

/** How rough a world is; everything that goes wrong by itself ends when it becomes calm. */
public final class Weather {

  private final int lag;
  private final double broken;
  private final double repeated;
  private final double lostRequests;
  private final double lostAnswers;
  private boolean calm;

  public Weather(Simulation sim) {
    this.lag = sim.oneOf(List.of(5, 20, 80, 400));
    this.broken = sim.chance(0.5) ? 0 : 0.02;
    this.repeated = 0.05;
    this.lostRequests = sim.chance(0.4) ? 0 : 0.01;
    this.lostAnswers = sim.chance(0.4) ? 0 : 0.01;
  }

  public void calmDown() {
    calm = true;
  }

  public boolean calm() {
    return calm;
  }

  /** The most a watch is behind, in milliseconds. */
  int lag() {
    return lag;
  }

  double broken() {
    return calm ? 0 : broken;
  }

  double repeated() {
    return calm ? 0 : repeated;
  }

  double lostRequests() {
    return calm ? 0 : lostRequests;
  }

  double lostAnswers() {
    return calm ? 0 : lostAnswers;
  }
}
