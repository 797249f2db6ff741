package dev.regroup.rules.group;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The controller of a {@link World}: the real counters and the real plan behind a stale cache of
 * the JobSet. It writes with a version check, and dies whenever the world wants it to.
 */
final class SimController {

  enum Hearing {
    NEWS,
    STALE
  }

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final World world;
  private Counters counters = new Counters();
  private final Map<String, Integer> revisions = new HashMap<>();
  private final Map<Integer, World.News> newest = new HashMap<>();
  private GroupStatus cached = GroupStatus.UNSET;
  private int cachedVersion;
  private int life; // a crash makes what an earlier one planned void
  private boolean down = true;

  SimController(World world) {
    this.world = world;
  }

  int life() {
    return life;
  }

  void die() {
    life++;
    down = true;
  }

  /** Lists everything, as a new leader does. */
  void start() {
    if (!down) {
      return;
    }
    if (world.serverIsDown()) {
      world.soon(500, this::start);
      return;
    }
    life++;
    down = false;
    counters = new Counters();
    counters.expect(roster());
    revisions.clear();
    newest.clear();
    cached = world.bug == Bug.KEEPS_ITS_STATE_IN_MEMORY ? GroupStatus.UNSET : world.stored;
    cachedVersion = world.version;
    world.pods.values().forEach(pod -> take(world.news(pod)));
    look(life);
  }

  private Roster roster() {
    return new Roster(
        List.of(new Roster.Entry("w", List.of(World.JOB), world.size, Roster.Places.INDEXED)));
  }

  Hearing hear(World.News news) {
    boolean old = news.revision() < revisions.getOrDefault(news.uid(), 0);
    if (old && world.bug != Bug.BELIEVES_OLD_NEWS) {
      return Hearing.STALE;
    }
    take(news);
    look(life);
    return Hearing.NEWS;
  }

  private void take(World.News news) {
    revisions.put(news.uid(), news.revision());
    var known = newest.get(news.slot());
    if (known == null || age(news) >= age(known)) {
      newest.put(news.slot(), news);
    }
    var reading = news.reading();
    if (reading == null) {
      counters.remove(news.uid());
    } else {
      counters.put(reading);
    }
  }

  private static int age(World.News news) {
    return Integer.parseInt(news.uid().substring(1));
  }

  private void look(int mine) {
    if (mine != life || world.failed) {
      return;
    }
    var situation =
        new GroupPlan.Situation(
            world.bug == Bug.FORGETS_THE_BUDGET ? Integer.MAX_VALUE : world.maxRestarts,
            0,
            0,
            0,
            GroupPlan.Mood.RUNNING,
            world.bug == Bug.RESTARTS_FOR_NOTHING && world.random.nextInt(20) == 0
                ? Optional.of(Sign.Kind.SCALED)
                : Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    var plan = GroupPlan.decide(tally(), cached, situation, time());
    if (plan.status().equals(cached) && !(plan.step() instanceof GroupPlan.Step.Fail)) {
      return;
    }
    boolean away = newest.values().stream().anyMatch(World.News::away);
    if (plan.step() instanceof GroupPlan.Step.Lift && away) {
      throw new Invariants.Broken("lifts although a pod is known to be away");
    }
    int seen = world.bug == Bug.OVERWRITES_NEWER_STATUS ? world.version : cachedVersion;
    world.soon(20, () -> write(mine, seen, plan));
  }

  private Instant time() {
    return START.plus(Duration.ofMillis(world.now()));
  }

  private void write(int mine, int seen, GroupPlan plan) {
    if (mine != life || world.failed) {
      return;
    }
    if (world.serverIsDown() || seen != world.version) {
      world.soon(20, () -> refresh(mine)); // refused, or a conflict
      return;
    }
    int luck = world.random.nextInt(20);
    if (luck == 0) {
      world.say("write is lost, controller dies");
      die();
      world.soon(20, this::start);
      return;
    }
    if (plan.step() instanceof GroupPlan.Step.Fail) {
      world.say("fails");
      world.failed = true;
      return;
    }
    var next = withBug(plan.status());
    world.invariants.written(world.stored, next);
    world.stored = next;
    world.version++;
    world.bySlot.forEach(world::tellAgent);
    if (luck == 1) {
      world.say("answer is lost, controller dies");
      die();
      world.soon(20, this::start);
      return;
    }
    world.soon(40, () -> refresh(mine));
  }

  private void refresh(int mine) {
    if (mine != life) {
      return;
    }
    if (world.serverIsDown()) {
      world.soon(200, () -> refresh(mine));
      return;
    }
    cached = world.stored;
    cachedVersion = world.version;
    look(mine);
  }

  // ---- planted bugs -----------------------------------------------------------------------------

  /** What the plan gets to see. */
  private Tally tally() {
    var real = counters.tally();
    return switch (world.bug) {
      case LIFTS_ONE_EARLY -> with(real, Math.max(1, world.size - 1), real.atAttempt());
      case LIFTS_TO_THE_HIGHEST -> {
        var counts = real.atAttempt();
        int all = counts.values().stream().mapToInt(Integer::intValue).sum();
        yield counts.isEmpty()
            ? real
            : with(real, world.size, new TreeMap<>(Map.of(counts.lastKey(), all)));
      }
      default -> real;
    };
  }

  private static Tally with(
      Tally real, int expected, java.util.NavigableMap<Integer, Integer> counts) {
    return new Tally(
        expected,
        counts,
        true,
        real.signs(),
        real.ahead(),
        false,
        0,
        0,
        0,
        real.ready(),
        real.missing(),
        real.corrupt());
  }

  /** What it writes. */
  private GroupStatus withBug(GroupStatus next) {
    return switch (world.bug) {
      case NEVER_TELLS_ANYBODY ->
          with(
              next,
              new Barrier(next.barrier().current(), world.stored.barrier().previous()),
              next.counted());
      case COUNTS_EVERY_LOOK ->
          next.barrier().restarting()
              ? with(next, next.barrier(), OptionalInt.of(next.counted().orElse(0) + 1))
              : next;
      default -> next;
    };
  }

  private static GroupStatus with(GroupStatus status, Barrier barrier, OptionalInt counted) {
    return new GroupStatus(
        barrier, counted, status.uncounted(), status.restarts(), status.lastRequest());
  }
}
