package dev.regroup.cli.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.run.RunFollower;
import dev.regroup.cli.run.RunView;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ObjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Carries out a plan on a group that is being followed, on a thread of its own. It waits until all
 * workers run; from then on times count. A deed is said before it is done, and done only to a
 * worker that runs: one that does not come back in time is left alone, and that is said, too.
 *
 * <p>It ends by itself when every deed is settled and the group runs again, or when it is closed.
 */
public final class Chaos implements AutoCloseable {

  private static final Duration TICK = Duration.ofMillis(200); // a look without news
  private static final Duration PATIENCE = Duration.ofSeconds(60); // for a worker to run again
  private static final Duration EFFECT = Duration.ofSeconds(10); // until a deed shows
  private static final int TRIES = 10;
  private static final Duration REST = Duration.ofSeconds(2); // for first words of a new start

  /** What is hurt, and how it is seen. */
  public record Scene(
      ChaosPlan plan, String namespace, int workers, RunFollower follower, ChaosScreen screen) {

    /** How many pods these workloads have at once. */
    public static int workers(List<JsonNode> objects) {
      return objects.stream().mapToInt(Scene::size).sum();
    }

    private static int size(JsonNode object) {
      return switch (object.path("kind").asText()) {
        case "JobSet" ->
            JobSetReader.spec(object).jobs().stream()
                .mapToInt(job -> job.replicas() * job.parallelism())
                .sum();
        case "Job" -> Trees.integer(object, "spec", "parallelism").orElse(1);
        case "Pod" -> 1;
        default -> 0;
      };
    }
  }

  /** What became of one deed for one worker. */
  private record Settled(Deed deed, int worker, String pod, Result result, String words) {}

  private enum Result {
    DONE("done"),
    FAILED("failed"),
    LEFT_OUT("leftOut");

    private final String word;

    Result(String word) {
      this.word = word;
    }
  }

  /** A deed for one worker that is still to be done. */
  private record Open(Deed deed, int worker) {}

  private final Scene scene;
  private final HarmRoads roads;
  private final Runnable onEnd;
  private final List<Settled> settled = new ArrayList<>(); // guarded by itself
  private final List<Open> open = new ArrayList<>(); // guarded by settled
  private final Thread thread;
  private @Nullable Deed last; // the thread's own, as what follows
  private long shownBy; // when the effect of the last deed has shown, or it has none
  private int restarts; // before the last deed

  private Chaos(Scene scene, HarmRoads roads, Runnable onEnd) throws CliFailure {
    this.scene = scene;
    this.roads = roads;
    this.onEnd = onEnd;
    for (var deed : scene.plan().deeds(scene.workers())) {
      var numbers =
          deed.workers().isEmpty()
              ? IntStream.range(0, scene.workers()).boxed().toList()
              : deed.workers();
      numbers.forEach(number -> open.add(new Open(deed, number)));
    }
    this.thread = Thread.ofVirtual().name("chaos").unstarted(this::work);
  }

  /**
   * Begins. Refuses a plan that does not fit the group.
   *
   * @param onEnd called once when the plan is done and the group runs again
   */
  public static Chaos start(Scene scene, HarmRoads roads, Runnable onEnd) throws CliFailure {
    var chaos = new Chaos(scene, roads, onEnd);
    for (var deed : scene.plan().deeds(scene.workers())) {
      scene.screen().note("chaos: will " + deed);
    }
    chaos.thread.start();
    return chaos;
  }

  /** What was done, for {@code report.json}. */
  public ArrayNode tree() {
    var list = Wire.object().putArray("chaos");
    synchronized (settled) {
      for (var one : settled) {
        list.addObject()
            .put("deed", one.deed().toString())
            .put("worker", one.worker())
            .put("pod", one.pod())
            .put("result", one.result().word)
            .put("words", one.words());
      }
      for (var one : open) {
        list.addObject()
            .put("deed", one.deed().toString())
            .put("worker", one.worker())
            .put("result", Result.LEFT_OUT.word)
            .put("words", "the run was over before");
      }
    }
    return list;
  }

  /** Whether every deed was done. */
  public boolean isDone() {
    synchronized (settled) {
      return open.isEmpty() && settled.stream().allMatch(one -> one.result() == Result.DONE);
    }
  }

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private void work() {
    try {
      while (!allRun()) {
        scene.screen().await(TICK);
      }
      long begun = System.nanoTime();
      while (true) {
        var due = due(Duration.ofNanos(System.nanoTime() - begun));
        if (due.isPresent()) {
          if (!due.get().deed().equals(last)) {
            awaitEffect(); // what the view shows may be older than the deed before
          }
          last = due.get().deed();
          settle(due.get());
        } else if (isSettled()) {
          break;
        } else {
          scene.screen().await(TICK);
        }
      }
      awaitRecovery();
      onEnd.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it is over
    }
  }

  private boolean isSettled() {
    synchronized (settled) {
      return open.isEmpty();
    }
  }

  private Optional<Open> due(Duration since) {
    synchronized (settled) {
      return open.stream().filter(one -> isDue(one.deed(), since)).findFirst();
    }
  }

  private boolean isDue(Deed deed, Duration since) {
    return switch (deed.when()) {
      case Deed.When.After(Duration time) -> since.compareTo(time) >= 0;
      case Deed.When.AtStep(long step) -> scene.screen().step() >= step;
    };
  }

  private void settle(Open one) throws InterruptedException {
    var result = act(one);
    synchronized (settled) {
      open.remove(one);
      settled.add(result);
    }
    if (result.result() != Result.DONE) {
      scene.follower().tell("chaos: %s: not done: %s".formatted(one.deed(), result.words()));
    }
  }

  /** A worker that ended in the very moment is waited for again. */
  private Settled act(Open one) throws InterruptedException {
    for (int i = 0; ; i++) {
      var result = tried(one);
      if (result.isPresent()) {
        return result.get();
      }
      if (i == TRIES) {
        return new Settled(one.deed(), one.worker(), "", Result.FAILED, "it never ran long enough");
      }
      scene.screen().await(TICK);
    }
  }

  /** Empty if the container or its pod was gone when it was to be hurt. */
  private Optional<Settled> tried(Open one) throws InterruptedException {
    var deed = one.deed();
    var worker = awaitRunning(one.worker());
    if (worker.isEmpty()) {
      String words =
          "worker %d does not run within %ds".formatted(one.worker(), PATIENCE.toSeconds());
      return Optional.of(new Settled(deed, one.worker(), "", Result.LEFT_OUT, words));
    }
    String name = worker.get().pod();
    try {
      var pod = roads.pod(new ObjectKey(scene.namespace(), name));
      if (pod.isEmpty()) {
        return Optional.empty(); // another one comes in its place
      }
      var obstacle = roads.obstacle(deed, pod.get());
      if (obstacle.isPresent()) {
        return Optional.of(new Settled(deed, one.worker(), name, Result.LEFT_OUT, obstacle.get()));
      }
      announce(one, pod.get());
      restarts = scene.follower().view().lifted();
      String words = roads.perform(deed, pod.get());
      shownBy = System.nanoTime() + effect(deed, pod.get()).toNanos();
      return Optional.of(new Settled(deed, one.worker(), name, Result.DONE, words));
    } catch (CliFailure e) {
      if (e.code() == CliFailure.Code.NOT_FOUND) {
        return Optional.empty();
      }
      return Optional.of(
          new Settled(deed, one.worker(), name, Result.FAILED, String.valueOf(e.getMessage())));
    }
  }

  /** How long it may take until the group shows what was done to it. */
  private static Duration effect(Deed deed, JsonNode pod) {
    if (!deed.lasting().isZero()) {
      return deed.lasting();
    }
    boolean noticed = HarmRoads.hasLivenessProbe(pod, deed.container());
    return !deed.harm().isFatal() && noticed ? PATIENCE : EFFECT;
  }

  /** Before it is done: nobody wonders afterwards what it was. */
  private void announce(Open one, JsonNode pod) {
    var deed = one.deed();
    String lasting = deed.lasting().isZero() ? "" : " for " + Deed.text(deed.lasting());
    scene
        .follower()
        .tell(
            "chaos: worker %d %s%s (pod/%s)"
                .formatted(
                    one.worker(),
                    deed.harm().words(),
                    lasting,
                    Trees.text(pod, "metadata", "name")));
    if (deed.harm() == Harm.STOP
        && deed.lasting().isZero()
        && !HarmRoads.hasLivenessProbe(pod, deed.container())) {
      scene
          .follower()
          .tell(
              "chaos: it has no liveness probe, so nobody will notice (add one, or write: for"
                  + " 10s)");
    }
  }

  private Optional<RunView.Worker> awaitRunning(int number) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      var view = scene.follower().view();
      if (view.result().isPresent()) {
        return Optional.empty();
      }
      var worker =
          view.workers().size() == scene.workers()
              ? Optional.of(view.workers().get(number))
              : Optional.<RunView.Worker>empty();
      if (!view.isHeldBack()
          && worker.filter(one -> one.sign() == RunView.Sign.RUNNING).isPresent()) {
        return worker;
      }
      scene.screen().await(TICK);
    }
    return Optional.empty();
  }

  private boolean allRun() {
    var view = scene.follower().view();
    return view.workers().size() == scene.workers()
        && !view.isHeldBack()
        && view.workers().stream().allMatch(one -> one.sign() == RunView.Sign.RUNNING);
  }

  /** A deed shows late: as a restart, or not at all. */
  private void awaitEffect() throws InterruptedException {
    while (last != null
        && last.harm().isFatal()
        && System.nanoTime() < shownBy
        && scene.follower().view().lifted() <= restarts
        && scene.follower().view().result().isEmpty()) {
      scene.screen().await(TICK);
    }
  }

  private void awaitRecovery() throws InterruptedException {
    while (System.nanoTime() < shownBy
        && scene.follower().view().lifted() <= restarts
        && scene.follower().view().result().isEmpty()) {
      scene.screen().await(TICK);
    }
    while (!allRun() && scene.follower().view().result().isEmpty()) {
      scene.screen().await(TICK);
    }
    long words = System.nanoTime() + REST.toNanos();
    while (System.nanoTime() < words && scene.follower().view().result().isEmpty()) {
      scene.screen().await(TICK);
    }
  }
}
