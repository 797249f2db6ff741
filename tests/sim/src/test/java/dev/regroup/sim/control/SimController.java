package dev.regroup.sim.control;

import dev.regroup.client.ObjectKey;
import dev.regroup.sim.Simulation;
import dev.regroup.sim.api.ApiError;
import dev.regroup.sim.api.Line;
import dev.regroup.sim.api.Weather;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * A controller as a process: a queue of keys, one pass per key at a time, each pass a chain of
 * steps with time and death between them. A pass that meets an error is tried again later.
 */
abstract class SimController {

  private static final long LONGEST_RETRY = 30_000;

  private static final class Entry {
    long due = Long.MAX_VALUE;
    boolean running;
    long again = Long.MAX_VALUE;
    int failures;
  }

  protected final Simulation sim;
  protected final Line line;
  private final Weather weather;
  private final String name;
  private final long firstRetry;
  private final Map<ObjectKey, Entry> entries = new HashMap<>();
  private int life;
  private boolean up;
  private int crashes;
  private long pausedUntil;
  private boolean over;

  SimController(Simulation sim, Line line, Weather weather, String name, long firstRetry) {
    this.sim = sim;
    this.line = line;
    this.weather = weather;
    this.name = name;
    this.firstRetry = firstRetry;
  }

  /** Begins to follow. */
  abstract void openFeeds();

  /** Forgets everything. */
  abstract void forget();

  abstract void look(ObjectKey key);

  public void start() {
    if (!up && !over) {
      up = true;
      life++;
      sim.say(() -> name + " starts");
      openFeeds();
    }
  }

  /** The process dies and is back within this time. */
  public void die(int millis) {
    if (!up) {
      return;
    }
    up = false;
    life++;
    crashes++;
    sim.say(() -> name + " dies");
    entries.clear();
    forget();
    sim.within(millis, this::start);
  }

  /**
   * Stands still for this time, as in a long pause of its machine; then goes on where it was, on
   * what it knew, and only a moment later notices that another one leads.
   */
  public void isOverthrown(int millis) {
    pausedUntil = sim.millis() + millis;
    line.cut(millis);
    sim.say(() -> name + " stands still");
    sim.after(
        millis + 300L,
        () -> {
          up = false;
          life++;
          entries.clear();
          forget();
          over = true;
        });
  }

  public Line line() {
    return line;
  }

  public int crashes() {
    return crashes;
  }

  boolean isUp() {
    return up;
  }

  // ---- the queue -------------------------------------------------------------------------------

  void add(ObjectKey key) {
    add(key, sim.draw(3));
  }

  void add(ObjectKey key, long millis) {
    if (!up) {
      return;
    }
    var entry = entries.computeIfAbsent(key, _ -> new Entry());
    long due = sim.millis() + millis;
    if (entry.running) {
      entry.again = Math.min(entry.again, due);
      return;
    }
    if (due >= entry.due) {
      return;
    }
    entry.due = due;
    int mine = life;
    sim.after(millis, () -> begin(key, entry, due, mine));
  }

  private void begin(ObjectKey key, Entry entry, long due, int mine) {
    if (mine != life || entry.running || entry.due != due) {
      return;
    }
    if (sim.millis() < pausedUntil) {
      sim.after(pausedUntil - sim.millis(), () -> begin(key, entry, due, mine));
      return;
    }
    entry.due = Long.MAX_VALUE;
    entry.running = true;
    guarded(key, () -> look(key));
  }

  /** One step of a pass, some time from now. */
  void step(ObjectKey key, Runnable action) {
    int mine = life;
    sim.within(4, () -> act(key, action, mine));
  }

  private void act(ObjectKey key, Runnable action, int mine) {
    if (mine != life) {
      return;
    }
    if (sim.millis() < pausedUntil) {
      sim.after(pausedUntil - sim.millis(), () -> act(key, action, mine));
      return;
    }
    if (!weather.calm() && sim.chance(0.002)) {
      die(1_000);
      return;
    }
    guarded(key, action);
    if (mine == life && !weather.calm() && sim.chance(0.002)) {
      die(1_000);
    }
  }

  private void guarded(ObjectKey key, Runnable action) {
    try {
      action.run();
    } catch (ApiError error) {
      sim.say(() -> name + " " + key.name() + " failed: " + error.getMessage());
      var entry = entries.computeIfAbsent(key, _ -> new Entry());
      long pause = Math.min(LONGEST_RETRY, firstRetry << Math.min(entry.failures, 16));
      entry.failures++;
      over(entry, key, pause);
    }
  }

  void settled(ObjectKey key) {
    done(key, Long.MAX_VALUE);
  }

  void tryAgain(ObjectKey key, long millis) {
    done(key, millis);
  }

  void tryAgain(ObjectKey key, Instant at) {
    done(
        key,
        at.equals(Instant.MAX)
            ? Long.MAX_VALUE
            : Math.max(0, Duration.between(sim.time(), at).toMillis()));
  }

  private void done(ObjectKey key, long millis) {
    var entry = entries.computeIfAbsent(key, _ -> new Entry());
    entry.failures = 0;
    over(entry, key, millis);
  }

  private void over(Entry entry, ObjectKey key, long millis) {
    long again = entry.again;
    entry.running = false;
    entry.again = Long.MAX_VALUE;
    if (again < Long.MAX_VALUE) {
      add(key, Math.max(0, again - sim.millis()));
    }
    if (millis < Long.MAX_VALUE) {
      add(key, millis);
    }
  }
}
