package dev.regroup.sim;

import dev.regroup.rules.pod.plan.SimNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Runs everything on one thread, in virtual time, in an order chosen by a seed. */
public final class Simulation {

  private record Step(long at, long order, Runnable action) {}

  /** Whether the steps are written down, to be read when a world breaks. */
  public enum Log {
    OFF,
    ON
  }

  /** Far more than any world needs that comes to rest. */
  private static final long MOST_STEPS = 60_000;

  private final SplittableRandom random;
  private final Log log;
  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::order));
  private final List<String> lines = new ArrayList<>();
  private long now; // ms since the world began
  private long taken;

  public Simulation(long seed, Log log) {
    this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 17);
    this.log = log;
  }

  /** Schedules the action; equal times run in an order drawn from the seed. */
  public void after(long millis, Runnable action) {
    steps.add(new Step(now + millis, random.nextLong(), action));
  }

  /** Schedules the action within this time, at least a millisecond from now. */
  public void within(long millis, Runnable action) {
    after(1 + random.nextLong(millis), action);
  }

  public void at(Instant time, Runnable action) {
    after(Math.max(0, Duration.between(time(), time).toMillis()), action);
  }

  public boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** From 0 up to the bound, without it. */
  public int draw(int bound) {
    return random.nextInt(bound);
  }

  public <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  public Instant time() {
    return SimNode.START.plusMillis(now);
  }

  public long millis() {
    return now;
  }

  public long stepsTaken() {
    return taken;
  }

  /** Runs until nothing is left to do or the time is over; returns whether it rests. */
  public boolean runUntil(long millis) {
    while (!steps.isEmpty() && steps.peek().at() <= millis) {
      var next = steps.poll();
      now = next.at();
      if (++taken > MOST_STEPS) {
        throw new AssertionError("the world never rests");
      }
      next.action().run();
    }
    now = Math.max(now, millis);
    return steps.isEmpty();
  }

  /** Texts are made only when somebody will read them. */
  public void say(Supplier<String> line) {
    if (log == Log.ON) {
      lines.add("%8d %s".formatted(now, line.get()));
    }
  }

  public List<String> lines() {
    return lines;
  }
}
