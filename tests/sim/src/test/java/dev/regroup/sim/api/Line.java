package dev.regroup.sim.api;

import dev.regroup.sim.Plant;
import dev.regroup.sim.Simulation;
import dev.regroup.sim.api.ApiError.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The way of one client to the API. It can be cut; while the world is rough a request may be lost,
 * and so may an answer, which nobody can tell apart.
 */
public final class Line {

  private final Simulation sim;
  private final VirtualApi api;
  private final Weather weather;
  private final List<VirtualWatch> watches = new ArrayList<>();
  private final boolean listsAgain;
  private long cutUntil;

  public Line(Simulation sim, VirtualApi api, Weather weather, Plant plant) {
    this.sim = sim;
    this.api = api;
    this.weather = weather;
    this.listsAgain = plant.listsAgain();
  }

  boolean listsAgain() {
    return listsAgain;
  }

  public <T> T call(Function<VirtualApi, T> request) {
    if (!reachable() || sim.chance(weather.lostRequests())) {
      throw new ApiError(Reason.UNREACHABLE, "no answer");
    }
    var answer = request.apply(api);
    if (sim.chance(weather.lostAnswers())) {
      throw new ApiError(Reason.UNREACHABLE, "the answer is lost");
    }
    return answer;
  }

  /** Whether a request would be answered now. */
  public boolean open() {
    return reachable();
  }

  boolean reachable() {
    return api.up() && sim.millis() >= cutUntil;
  }

  public void cut(long millis) {
    cutUntil = Math.max(cutUntil, sim.millis() + millis);
    watches.forEach(VirtualWatch::breakOff);
  }

  /** Watches one kind; the receiver is told what a list shows, then every change. */
  public VirtualWatch watch(Kind kind, VirtualWatch.Receiver receiver) {
    var watch = new VirtualWatch(sim, api, this, weather, kind, receiver);
    watches.add(watch);
    api.watch(kind, watch);
    return watch;
  }
}
