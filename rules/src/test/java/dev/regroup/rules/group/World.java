package dev.regroup.rules.group;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * A group in a bad world: a simulated API server between the real counters, the real plan and the
 * real mind of the agents, on one thread, in an order drawn from a seed. Every message is late;
 * some come twice, some are lost until the receiver lists again, and what they tell is stale by
 * then. Workers, pods, nodes, the controller and the server crash. {@link Bug} plants a mistake
 * that {@link Invariants} must find.
 */
final class World {

  /** What happened, for the summary. */
  record Toll(long restarts, long crashes, long lost, long repeated, long stale) {
    static final Toll NONE = new Toll(0, 0, 0, 0, 0);

    Toll plus(Toll other) {
      return new Toll(
          restarts + other.restarts,
          crashes + other.crashes,
          lost + other.lost,
          repeated + other.repeated,
          stale + other.stale);
    }
  }

  private record Step(long at, long order, Runnable action) {}

  /** What carries the mind of an agent; both kinds may be in one group (JS-132a). */
  enum Body {
    /** Ends with the containers of its pod; the next one reads anew (sidecar, main container). */
    MORTAL,
    /** Stays, and goes by what it last heard (process, node). */
    LASTING
  }

  /** One pod as the API server shows it, and the worker behind it. */
  static final class Pod {
    final String uid;
    final int slot;
    OptionalInt attempt = OptionalInt.empty();
    boolean restarting;
    boolean dying;
    boolean gone;
    int worker = -1; // the attempt its worker runs in
    int life; // what an agent of an earlier life had in mind no longer counts
    int wrote = -1; // the life whose agent has written the attempt
    int revision; // grows with every change the API server shows
    int seen; // the version of the JobSet its agent has seen
    long deafUntil; // its node is down: nobody listens, the worker goes on
    final Body body;
    AgentMind.Self self = AgentMind.Self.NEW; // what its agent knows of itself
    GroupOrders orders = GroupOrders.UNKNOWN; // what its agent has heard

    Pod(String uid, int slot, Body body) {
      this.uid = uid;
      this.slot = slot;
      this.body = body;
    }
  }

  /** A pod as one message shows it; {@code reading} is null when the pod is gone. */
  record News(String uid, int slot, int revision, boolean away, @Nullable PodReading reading) {}

  static final String JOB = "a-w-0";
  private static final long FAULTS_UNTIL = 60_000; // ms
  private static final long END = 600_000;
  private static final int RELIST = 500;

  final Bug bug;
  final int size;
  final int maxRestarts;
  final Random random;
  final List<Pod> bySlot = new ArrayList<>();
  private final List<Body> bodies = new ArrayList<>(); // by slot
  final SequencedMap<String, Pod> pods = new LinkedHashMap<>();
  final Invariants invariants = new Invariants(this);
  GroupStatus stored = GroupStatus.UNSET;
  int version = 1;
  boolean failed;
  private final SimController controller = new SimController(this);
  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::order));
  private final List<String> log = new ArrayList<>();
  private long now;
  private long serverUpAt;
  private int uids;
  private int crashes;
  private int lost;
  private int repeated;
  private int stale;

  World(long seed, Bug bug) {
    this.random = new Random(seed);
    this.bug = bug;
    this.size = 1 + random.nextInt(6);
    this.maxRestarts = random.nextInt(7);
    for (int slot = 0; slot < size; slot++) {
      bodies.add(random.nextBoolean() ? Body.LASTING : Body.MORTAL);
    }
  }

  /** Runs until everything is quiet; throws when an invariant is broken. */
  Toll run() {
    for (int slot = 0; slot < size; slot++) {
      makePod(slot);
    }
    controller.start();
    int storms = random.nextInt(8);
    for (int i = 0; i < storms; i++) {
      at(random.nextLong(FAULTS_UNTIL), this::strike);
    }
    while (!steps.isEmpty() && now < END) {
      var next = steps.poll();
      now = next.at();
      next.action().run();
    }
    invariants.atTheEnd();
    return new Toll(stored.barrier().current().orElse(0), crashes, lost, repeated, stale);
  }

  List<String> log() {
    return log;
  }

  long now() {
    return now;
  }

  void say(String line) {
    log.add(now + " " + line);
  }

  // ---- time and messages ------------------------------------------------------------------------

  private void at(long time, Runnable action) {
    steps.add(new Step(time, random.nextLong(), action));
  }

  void soon(int within, Runnable action) {
    at(now + 1 + random.nextInt(within), action);
  }

  /** Late; sometimes twice; sometimes lost, until the receiver lists again (JS-143). */
  private void send(int within, Runnable message, Runnable relist) {
    long from = Math.max(now, serverUpAt);
    if (random.nextInt(12) == 0) {
      lost++;
      if (bug != Bug.NEVER_LISTS_AGAIN) {
        at(from + RELIST, relist);
      }
      return;
    }
    at(from + 1 + random.nextInt(within), message);
    if (random.nextInt(4) == 0) {
      repeated++;
      at(from + 1 + random.nextInt(within), message);
    }
  }

  boolean serverIsDown() {
    return now < serverUpAt;
  }

  // ---- faults -----------------------------------------------------------------------------------

  /** One fault: a worker exits, a pod is deleted, a node, the controller or the server dies. */
  private void strike() {
    if (failed) {
      return;
    }
    var pod = bySlot.get(random.nextInt(size));
    crashes++;
    switch (random.nextInt(8)) {
      case 0, 1 -> exit(pod);
      case 2 -> delete(pod);
      case 3 -> {
        exit(pod);
        exit(bySlot.get(random.nextInt(size))); // two at once
      }
      case 4 -> nodeDies(pod);
      case 5 -> {
        say("server dies");
        serverUpAt = now + 1 + random.nextInt(1_000);
      }
      case 6 -> { // a failure and its witness at once
        exit(pod);
        controllerDies();
      }
      default -> controllerDies();
    }
  }

  private void controllerDies() {
    say("controller dies");
    controller.die();
    soon(300, controller::start);
  }

  private void nodeDies(Pod pod) {
    say("node of " + pod.uid + " dies");
    pod.deafUntil = now + 1 + random.nextInt(1_000);
    pod.orders = GroupOrders.UNKNOWN;
    at(pod.deafUntil, () -> tellAgent(pod)); // it lists when it is back
  }

  private void makePod(int slot) {
    var pod = new Pod("u" + uids++, slot, bodies.get(slot));
    pods.put(pod.uid, pod);
    if (slot < bySlot.size()) {
      bySlot.set(slot, pod);
    } else {
      bySlot.add(pod);
    }
    changed(pod);
    int life = pod.life;
    soon(50, () -> startAgent(pod, life));
  }

  private void exit(Pod pod) {
    if (pod.dying) {
      return;
    }
    invariants.failures++;
    say(pod.uid + " exits at " + pod.attempt);
    restart(pod);
  }

  /** All containers restart: the worker ends, the pod says so, later a new agent starts. */
  private void restart(Pod pod) {
    pod.worker = -1;
    pod.restarting = true;
    if (pod.body == Body.LASTING) {
      pod.self = pod.self.left();
    } else {
      pod.self = AgentMind.Self.NEW;
      pod.orders = GroupOrders.UNKNOWN;
    }
    int life = ++pod.life;
    changed(pod);
    soon(
        100,
        () -> {
          if (life == pod.life && !pod.dying) {
            pod.restarting = false;
            changed(pod);
            soon(50, () -> startAgent(pod, life));
          }
        });
  }

  private void delete(Pod pod) {
    if (pod.dying) {
      return;
    }
    invariants.failures++;
    say(pod.uid + " is deleted at " + pod.attempt);
    pod.dying = true;
    pod.life++;
    changed(pod);
    soon(
        200,
        () -> {
          pod.worker = -1; // its replacement comes only after it has ended (JS-56)
          pod.gone = true;
          pods.remove(pod.uid);
          changed(pod);
          soon(100, () -> makePod(pod.slot));
        });
  }

  // ---- agents -----------------------------------------------------------------------------------

  /** Reads consistently if it knows nothing (JS-139), writes its attempt, waits. */
  private void startAgent(Pod pod, int life) {
    if (life != pod.life || pod.dying || failed) {
      return;
    }
    if (serverIsDown() || now < pod.deafUntil) {
      soon(500, () -> startAgent(pod, life));
      return;
    }
    if (pod.orders.equals(GroupOrders.UNKNOWN)) {
      pod.orders = GroupOrders.of(stored.barrier());
      pod.seen = version;
    }
    if (AgentMind.of(pod.orders, pod.self) instanceof AgentMind.Arrive(int attempt)) {
      int taken = withBug(pod, attempt);
      soon(30, () -> writeAttempt(pod, life, taken));
    } else {
      throw new Invariants.Broken(pod.uid + " has come back and does not arrive");
    }
  }

  private int withBug(Pod pod, int attempt) {
    return switch (bug) {
      case AGENT_TAKES_THE_RUNNING_ATTEMPT -> stored.barrier().current().orElse(0);
      case REPLACEMENT_BEGINS_AT_ZERO -> pod.attempt.isPresent() ? attempt : 0;
      default -> attempt;
    };
  }

  private void writeAttempt(Pod pod, int life, int attempt) {
    if (life != pod.life || pod.dying) {
      return;
    }
    if (serverIsDown()) {
      soon(500, () -> writeAttempt(pod, life, attempt));
      return;
    }
    pod.attempt = OptionalInt.of(attempt);
    pod.self = pod.self.arrived(attempt);
    pod.wrote = life;
    say(pod.uid + " writes " + attempt);
    invariants.reported(pod);
    changed(pod);
    if (bug == Bug.AGENT_DOES_NOT_WAIT) {
      runWorker(pod);
    }
    tellAgent(pod);
  }

  /** Tells the pod's agent how the JobSet looks now. */
  void tellAgent(Pod pod) {
    int life = pod.life;
    int told = version;
    var orders = GroupOrders.of(stored.barrier());
    send(80, () -> hear(pod, life, told, orders), () -> tellAgent(pod));
  }

  private void hear(Pod pod, int life, int told, GroupOrders orders) {
    boolean sameAgent = life == pod.life || pod.body == Body.LASTING;
    if (!sameAgent || now < pod.deafUntil || pod.dying || failed) {
      return;
    }
    if (told < pod.seen) {
      stale++;
      return; // a watch never goes back
    }
    pod.seen = told;
    pod.orders = orders;
    if (pod.wrote != pod.life) {
      return; // on its way
    }
    switch (AgentMind.of(orders, pod.self)) {
      case AgentMind.Restart _ -> {
        if (bug != Bug.AGENT_IGNORES_ORDERS) {
          say(pod.uid + " is told to restart");
          restart(pod);
        }
      }
      case AgentMind.Run() -> {
        if (pod.worker < 0) {
          runWorker(pod);
        }
      }
      case AgentMind.Hold _ -> {}
      case AgentMind.Arrive _ -> throw new Invariants.Broken(pod.uid + " arrives twice");
    }
  }

  private void runWorker(Pod pod) {
    pod.worker = pod.attempt.getAsInt();
    pod.self = pod.self.running();
    say(pod.uid + " runs " + pod.worker);
    invariants.alone(pod);
  }

  // ---- the controller's watch -------------------------------------------------------------------

  private void changed(Pod pod) {
    pod.revision++;
    tellController(pod);
  }

  private void tellController(Pod pod) {
    int life = controller.life();
    var news = news(pod);
    send(60, () -> tell(life, news), () -> tell(life, news(pod)));
  }

  private void tell(int life, News news) {
    if (life == controller.life() && controller.hear(news) == SimController.Hearing.STALE) {
      stale++;
    }
  }

  News news(Pod pod) {
    boolean away = pod.dying || pod.restarting;
    return new News(pod.uid, pod.slot, pod.revision, away, pod.gone ? null : reading(pod));
  }

  private PodReading reading(Pod pod) {
    boolean dead = pod.dying && bug != Bug.COUNTS_DYING_PODS;
    return new PodReading(
        pod.uid,
        pod.uid,
        JOB,
        OptionalInt.of(pod.slot),
        pod.attempt.isPresent() ? new AttemptReport.At(pod.attempt.getAsInt()) : AttemptReport.NONE,
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
}
