package dev.regroup.rules.group;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A group in a bad world: simulated agents around the real counters and the real plan, on one
 * thread, in an order drawn from a seed. News reaches the controller late and repeatedly, its view
 * of the JobSet is stale, and every part crashes. {@link Bug} plants a mistake that the invariants
 * must find.
 */
final class World {

  /** Mistakes a controller could make. */
  enum Bug {
    NONE,
    LIFTS_ONE_EARLY,
    COUNTS_DYING_PODS,
    NEVER_TELLS_ANYBODY,
    FORGETS_THE_BUDGET,
    COUNTS_EVERY_LOOK,
    LIFTS_TO_THE_HIGHEST,
    OVERWRITES_NEWER_STATUS,
    HEARS_NO_FAILURE
  }

  /** An invariant does not hold. */
  static final class Broken extends RuntimeException {
    Broken(String what) {
      super(what);
    }
  }

  private record Step(long at, long order, Runnable action) {}

  /** One pod as the API server shows it, and the worker behind it. */
  private static final class Pod {
    final String uid;
    final int slot;
    OptionalInt attempt = OptionalInt.empty();
    boolean restarting;
    boolean dying;
    boolean gone;
    int worker = -1; // the attempt its worker runs in
    int life; // what an agent of an earlier life had in mind no longer counts
    int wrote = -1; // the life whose agent has written the attempt
    boolean knownAway; // the controller was told that it dies or restarts

    Pod(String uid, int slot) {
      this.uid = uid;
      this.slot = slot;
    }
  }

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final long FAULTS_UNTIL = 60_000; // ms
  private static final long END = 600_000;

  private final Random random;
  private final Bug bug;
  private final int size;
  private final int maxRestarts;
  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::order));
  private final List<String> log = new ArrayList<>();
  private final List<Pod> bySlot = new ArrayList<>();
  private final Map<String, Pod> pods = new HashMap<>();
  private long now;
  private int uids;
  private int version = 1;
  private GroupStatus stored = GroupStatus.UNSET;
  private int cachedVersion = 1;
  private GroupStatus cached = GroupStatus.UNSET;
  private Counters counters = new Counters();
  private int controller; // its life: a crash makes what an earlier one planned void
  private boolean failed;
  private int failures;
  private int raises;

  World(long seed, Bug bug) {
    this.random = new Random(seed);
    this.bug = bug;
    this.size = 1 + random.nextInt(6);
    this.maxRestarts = random.nextInt(7);
  }

  /** Runs until everything is quiet; throws when an invariant is broken. */
  void run() {
    for (int slot = 0; slot < size; slot++) {
      makePod(slot);
    }
    startController();
    int storms = random.nextInt(8);
    for (int i = 0; i < storms; i++) {
      at(random.nextLong(FAULTS_UNTIL), this::strike);
    }
    while (!steps.isEmpty() && now < END) {
      var next = steps.poll();
      now = next.at();
      next.action().run();
    }
    alive();
    countedOnce();
  }

  List<String> log() {
    return log;
  }

  // ---- the world --------------------------------------------------------------------------------

  private void at(long time, Runnable action) {
    steps.add(new Step(time, random.nextLong(), action));
  }

  private void soon(int within, Runnable action) {
    at(now + 1 + random.nextInt(within), action);
  }

  private void say(String line) {
    log.add(now + " " + line);
  }

  private void makePod(int slot) {
    var pod = new Pod("u" + uids++, slot);
    pods.put(pod.uid, pod);
    if (slot < bySlot.size()) {
      bySlot.set(slot, pod);
    } else {
      bySlot.add(pod);
    }
    tellController(pod);
    soon(50, () -> startAgent(pod, pod.life));
  }

  /** One fault: a worker exits, an agent dies, a pod is deleted or fails, the controller dies. */
  private void strike() {
    if (failed) {
      return;
    }
    var pod = bySlot.get(random.nextInt(size));
    switch (random.nextInt(5)) {
      case 0, 1 -> exit(pod);
      case 2 -> delete(pod);
      case 3 -> {
        exit(pod);
        exit(bySlot.get(random.nextInt(size))); // two at once
      }
      default -> {
        say("controller dies");
        startController();
      }
    }
  }

  private void exit(Pod pod) {
    if (pod.dying) {
      return;
    }
    failures++;
    say(pod.uid + " exits at " + pod.attempt);
    restart(pod);
  }

  /** All containers restart: the worker ends, the pod says so, later a new agent starts. */
  private void restart(Pod pod) {
    pod.worker = -1;
    pod.restarting = true;
    int life = ++pod.life;
    tellController(pod);
    soon(
        100,
        () -> {
          if (life == pod.life && !pod.dying) {
            pod.restarting = false;
            tellController(pod);
            soon(50, () -> startAgent(pod, life));
          }
        });
  }

  private void delete(Pod pod) {
    if (pod.dying) {
      return;
    }
    failures++;
    say(pod.uid + " is deleted at " + pod.attempt);
    pod.dying = true;
    pod.life++;
    tellController(pod);
    soon(
        200,
        () -> {
          pod.worker = -1; // its replacement comes only after it has ended (JS-56)
          pod.gone = true;
          pods.remove(pod.uid);
          tellController(pod);
          soon(100, () -> makePod(pod.slot));
        });
  }

  // ---- agents -----------------------------------------------------------------------------------

  /** Reads consistently (JS-139), writes its attempt, waits. */
  private void startAgent(Pod pod, int life) {
    if (life != pod.life || pod.dying || failed) {
      return;
    }
    int attempt = stored.barrier().next();
    soon(
        30,
        () -> {
          if (life != pod.life || pod.dying) {
            return;
          }
          pod.attempt = OptionalInt.of(attempt);
          pod.wrote = life;
          say(pod.uid + " writes " + attempt);
          tellController(pod);
          tellAgent(pod);
        });
  }

  /** The agent looks at the newest JobSet, some time later; watches lag but never go back. */
  private void tellAgent(Pod pod) {
    int life = pod.life;
    soon(
        80,
        () -> {
          if (life != pod.life || pod.dying || failed || pod.wrote != life) {
            return;
          }
          int attempt = pod.attempt.getAsInt();
          if (stored.barrier().mustRestart(attempt)) {
            say(pod.uid + " is told to restart");
            restart(pod);
          } else if (stored.barrier().mayRun(attempt) && pod.worker < 0) {
            pod.worker = attempt;
            say(pod.uid + " runs " + attempt);
            alone(pod);
          }
        });
  }

  // ---- the controller ---------------------------------------------------------------------------

  private void startController() {
    controller++;
    counters = new Counters();
    counters.expect(roster());
    cached = stored;
    cachedVersion = version;
    pods.values().forEach(this::hear);
    look(controller);
  }

  private Roster roster() {
    return new Roster(
        List.of(new Roster.Entry("w", List.of("a-w-0"), size, Roster.Places.INDEXED)));
  }

  /** Late, and sometimes twice; always the newest state, as a watch that caught up shows it. */
  private void tellController(Pod pod) {
    int copies = random.nextInt(4) == 0 ? 2 : 1;
    IntStream.range(0, copies)
        .forEach(_ ->
            soon(
                60,
                () -> {
                  if (pods.containsKey(pod.uid)) {
                    hear(pod);
                  } else {
                    counters.remove(pod.uid);
                  }
                  look(controller);
                }));
  }

  private void hear(Pod pod) {
    pod.knownAway = pod.dying || pod.restarting;
    counters.put(reading(pod));
  }

  private PodReading reading(Pod pod) {
    boolean dead = pod.dying && bug != Bug.COUNTS_DYING_PODS;
    return new PodReading(
        pod.uid,
        pod.uid,
        "a-w-0",
        OptionalInt.of(pod.slot),
        pod.attempt.isPresent() ? new Report.At(pod.attempt.getAsInt()) : Report.NONE,
        dead ? PodReading.Life.DEAD : PodReading.Life.LIVE,
        sign(pod),
        0,
        false);
  }

  private @Nullable Sign sign(Pod pod) {
    if (bug == Bug.HEARS_NO_FAILURE || bug == Bug.COUNTS_DYING_PODS) {
      return null;
    }
    if (pod.dying) {
      return Sign.of(Sign.Kind.POD_DELETED, pod.uid);
    }
    return pod.restarting ? Sign.of(Sign.Kind.ALL_CONTAINERS_RESTARTING, pod.uid) : null;
  }

  private void look(int life) {
    if (life != controller || failed) {
      return;
    }
    var situation =
        new GroupPlan.Situation(
            bug == Bug.FORGETS_THE_BUDGET ? Integer.MAX_VALUE : maxRestarts,
            0,
            0,
            GroupPlan.Mood.RUNNING,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    var base = bug == Bug.OVERWRITES_NEWER_STATUS ? cached : newest();
    var plan = GroupPlan.decide(tally(), base, situation, time());
    if (plan.status().equals(base) && !(plan.step() instanceof GroupPlan.Step.Fail)) {
      return;
    }
    boolean away = bySlot.stream().anyMatch(pod -> pod.knownAway);
    if (plan.step() instanceof GroupPlan.Step.Lift && away) {
      throw new Broken("lifts although a pod is known to be away");
    }
    int seen = bug == Bug.OVERWRITES_NEWER_STATUS ? version : cachedVersion;
    soon(20, () -> write(life, seen, plan));
  }

  private GroupStatus newest() {
    return cached;
  }

  private Instant time() {
    return START.plus(Duration.ofMillis(now));
  }

  /** What the plan gets to see, with some of the planted bugs in it. */
  private Tally tally() {
    var real = counters.tally();
    return switch (bug) {
      case LIFTS_ONE_EARLY ->
          new Tally(
              Math.max(1, size - 1),
              real.atAttempt(),
              true,
              real.signs(),
              0,
              0,
              real.ready(),
              List.of(),
              "");
      case LIFTS_TO_THE_HIGHEST -> {
        var counts = new TreeMap<>(real.atAttempt());
        int all = counts.values().stream().mapToInt(Integer::intValue).sum();
        yield counts.isEmpty()
            ? real
            : new Tally(
                size,
                new TreeMap<>(Map.of(counts.lastKey(), all)),
                true,
                real.signs(),
                0,
                0,
                real.ready(),
                List.of(),
                "");
      }
      default -> real;
    };
  }

  private void write(int life, int seen, GroupPlan plan) {
    if (life != controller || failed) {
      return;
    }
    if (seen != version) {
      soon(20, () -> refresh(life)); // conflict
      return;
    }
    if (random.nextInt(20) == 0) {
      say("write is lost, controller dies");
      soon(20, this::startController);
      return;
    }
    var next = plan.status();
    if (plan.step() instanceof GroupPlan.Step.Fail) {
      say("fails");
      failed = true;
      return;
    }
    if (bug == Bug.NEVER_TELLS_ANYBODY) {
      next =
          new GroupStatus(
              new Barrier(next.barrier().current(), stored.barrier().previous()),
              next.counted(),
              next.uncounted(),
              next.restarts(),
              next.lastRequest());
    }
    int extra = bug == Bug.COUNTS_EVERY_LOOK && next.barrier().restarting() ? 1 : 0;
    if (extra > 0) {
      next =
          new GroupStatus(
              next.barrier(),
              OptionalInt.of(next.counted().orElse(0) + extra),
              next.uncounted(),
              next.restarts(),
              next.lastRequest());
    }
    check(stored, next);
    stored = next;
    version++;
    bySlot.forEach(this::tellAgent);
    soon(40, () -> refresh(life));
  }

  private void refresh(int life) {
    if (life == controller) {
      cached = stored;
      cachedVersion = version;
      look(life);
    }
  }

  // ---- invariants -------------------------------------------------------------------------------

  private void check(GroupStatus before, GroupStatus after) {
    var was = before.barrier();
    var is = after.barrier();
    say("writes " + is.current() + " " + is.previous() + " counted " + after.counted());
    if (is.current().orElse(-1) < was.current().orElse(-1)
        || is.previous().orElse(-1) < was.previous().orElse(-1)) {
      throw new Broken("a signal went back");
    }
    if (is.previous().orElse(-1) > is.current().orElse(-1)) {
      throw new Broken("told an attempt to restart that never ran");
    }
    if (after.counted().orElse(0) > maxRestarts) {
      throw new Broken("more restarts than the budget allows");
    }
    if (!is.current().equals(was.current())) {
      int lifted = is.current().getAsInt();
      if (lifted != was.next()) {
        throw new Broken("lifted from " + was.current() + " to " + lifted);
      }
      for (var pod : bySlot) {
        boolean there = pod.attempt.orElse(-1) >= lifted && !pod.dying;
        boolean justLeft = pod.restarting || pod.dying; // news of that is still under way
        if (!there && !(justLeft && pod.attempt.orElse(-1) == lifted)) {
          throw new Broken("lifted without " + pod.uid + " at " + pod.attempt);
        }
      }
    }
    if (!is.previous().equals(was.previous())) {
      raises++;
    }
  }

  /** Nobody else may still run in another attempt when a worker starts. */
  private void alone(Pod started) {
    for (var pod : pods.values()) {
      if (pod.worker >= 0 && pod.worker != started.worker) {
        throw new Broken(started.uid + " runs beside " + pod.uid + " of " + pod.worker);
      }
    }
  }

  private void alive() {
    if (failed) {
      return;
    }
    int current = stored.barrier().current().orElse(-1);
    for (var pod : bySlot) {
      if (pod.worker != current) {
        throw new Broken("stuck: " + pod.uid + " is at " + pod.worker + ", not " + current);
      }
    }
  }

  /** Every restart counted once, and no more restarts than failures. */
  private void countedOnce() {
    int counted = stored.counted().orElse(0);
    int restarts = stored.barrier().current().orElse(0);
    if (!failed && counted != restarts) {
      throw new Broken(restarts + " restarts, " + counted + " counted");
    }
    if (raises > restarts + 1) {
      throw new Broken(raises + " orders for " + restarts + " restarts");
    }
    if (counted > failures * 2) { // a failure that races the lift may cost a second restart
      throw new Broken(counted + " counted for " + failures + " failures");
    }
    if (failed && counted < maxRestarts) {
      throw new Broken("failed with restarts left");
    }
  }
}
