package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.rules.pod.ContainerId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Follows a run: says what changes and what is in the way, shows the logs, knows when it is over,
 * and stops its workloads when somebody ends it before.
 */
public final class RunFollower implements AutoCloseable {

  /** What a run waits for, by kind. */
  private static final Map<String, Resource<ObjectNode>> WORKLOADS =
      Map.of(
          "JobSet", Kinds.JOB_SETS,
          "Job", Kinds.JOBS,
          "Pod", Kinds.PODS);

  private static final Duration LAST_WORDS = Duration.ofSeconds(2); // logs of what has ended
  private static final Duration LATE_PODS = Duration.ofSeconds(10); // watches are not in step
  private static final Duration AFTER_GRACE = Duration.ofSeconds(5); // to kill and to tell
  private static final int GRACE = 30; // seconds, as Kubernetes has it
  private static final int LONGEST_STORY = 2_000; // lines

  private final ApiClient client;
  private final RunScreen screen;
  private final long begun;
  private final Instant began;
  private final Predicate<JsonNode> concerns;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final RunProgress progress = new RunProgress(); // guarded by lock
  private boolean over; // guarded by lock
  private long ended; // guarded by lock; when it was over, the last words still to come
  private boolean stopping; // guarded by lock
  private final Map<String, Integer> pods = new LinkedHashMap<>(); // guarded by lock; grace by uid
  private final Map<String, Long> versions = new HashMap<>(); // guarded by lock; of pods by uid
  private final Deque<RunReport.Said> story = new ArrayDeque<>(); // guarded by lock
  private final LastLines lastLines = new LastLines(this::isCulprit);
  private final Set<ContainerId> culpritInstances = ConcurrentHashMap.newKeySet();
  private final Optional<LogFiles> kept;
  private final LogFollower logs;
  private final List<Informer<ObjectNode>> informers = new ArrayList<>();

  public RunFollower(Transport transport, RunScreen screen, RandomGenerator random) {
    this(transport, screen, Optional.empty(), random);
  }

  /** Keeps the logs, too, if there is a place for them. */
  public RunFollower(
      Transport transport, RunScreen screen, Optional<LogFiles> kept, RandomGenerator random) {
    this(transport, screen, kept, _ -> true, Instant.now(), random);
  }

  /** Of one JobSet among others, which somebody started before. */
  public static RunFollower of(
      Transport transport,
      RunScreen screen,
      JsonNode jobSet,
      Instant began,
      RandomGenerator random) {
    String key = Workload.key(jobSet);
    return new RunFollower(
        transport, screen, Optional.empty(), object -> concerns(key, object), began, random);
  }

  private RunFollower(
      Transport transport,
      RunScreen screen,
      Optional<LogFiles> kept,
      Predicate<JsonNode> concerns,
      Instant began,
      RandomGenerator random) {
    this.concerns = concerns;
    this.began = began;
    this.begun = System.nanoTime() - Duration.between(began, Instant.now()).toNanos();
    this.client = new ApiClient(transport);
    this.screen = screen;
    this.kept = kept;
    this.logs = new LogFollower(transport, this::output);
    var followed = new HashMap<>(WORKLOADS);
    followed.put("Event", Kinds.EVENTS);
    followed.forEach((kind, resource) ->
        informers.add(
            new Informer<ObjectNode>(
                    transport, resource, ListQuery.ALL, object -> named(object, kind), random)
                .listen(this::changed)));
  }

  /** The items of a list do not say what they are. */
  private static ObjectNode named(ObjectNode object, String kind) {
    return object.deepCopy().put("kind", kind);
  }

  /** Waits until every workload among these objects has ended; empty when the time is up first. */
  public Optional<RunProgress.Result> follow(List<JsonNode> objects, Optional<Duration> limit)
      throws CliFailure, InterruptedException {
    expect(objects);
    informers.forEach(Informer::start);
    if (!await(limit.map(time -> begun + time.toNanos()))) {
      return Optional.empty();
    }
    awaitPods();
    logs.finish(LAST_WORDS);
    lock.lock();
    try {
      return progress.result();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Deletes the workloads and waits until their pods are gone: each has its grace. Says what it
   * waits for; an interrupt ends the wait.
   */
  public void stop(List<JsonNode> objects) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      stopping = true;
      if (!pods.isEmpty()) {
        int grace = pods.values().stream().mapToInt(Integer::intValue).max().orElse(GRACE);
        screen.note(
            "stopping %s, up to %ds (Ctrl-C again ends them at once)"
                .formatted(pods.size() == 1 ? "1 pod" : pods.size() + " pods", grace));
      }
    } finally {
      lock.unlock();
    }
    for (JsonNode object : objects) {
      delete(object);
    }
    awaitNoPods();
    logs.finish(LAST_WORDS);
  }

  /**
   * What it came to, as the file {@code report.json} has it.
   *
   * @param result how it ended, such as {@code failed}
   * @param why a line each: who ended it, what it waited for
   */
  public ObjectNode report(String result, List<String> why) {
    lock.lock();
    try {
      var elapsed = Duration.ofNanos((over && !stopping ? ended : System.nanoTime()) - begun);
      return RunReport.tree(
          progress,
          new RunReport.Circumstances(
              result, began, began.plus(elapsed), why, List.copyOf(story), lastLines::of));
    } finally {
      lock.unlock();
    }
  }

  /** Something that was done to the run and belongs to its story. */
  public void tell(String line) {
    lock.lock();
    try {
      say(line);
    } finally {
      lock.unlock();
    }
  }

  /** A remark of the program, where the run is shown. */
  public void note(String line) {
    screen.note(line);
  }

  /** How it is now. */
  public RunView view() {
    lock.lock();
    try {
      var now = over ? began.plusNanos(ended - begun) : Instant.now();
      return RunViews.of(progress, progress.maxRestarts(), began, now, lastLines::of);
    } finally {
      lock.unlock();
    }
  }

  public List<String> culprits() {
    lock.lock();
    try {
      return progress.culprits().stream().map(line -> "because of " + line).toList();
    } finally {
      lock.unlock();
    }
  }

  public List<String> waitingFor() {
    lock.lock();
    try {
      return progress.waitingFor().stream().map(line -> "waiting for " + line).toList();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    informers.forEach(Informer::close);
    logs.close();
    kept.ifPresent(LogFiles::close);
  }

  private void output(RunScreen.Source source, Instant at, String line) {
    lastLines.add(source, line);
    kept.ifPresent(files -> files.add(source, line));
    screen.output(source, at, line);
  }

  private boolean isCulprit(ContainerId instance) {
    return culpritInstances.contains(instance);
  }

  private void expect(List<JsonNode> objects) throws CliFailure {
    lock.lock();
    try {
      for (JsonNode object : objects) {
        String kind = object.path("kind").asText();
        if (WORKLOADS.containsKey(kind)) {
          var metadata = object.path("metadata");
          progress.expect(
              kind, metadata.path("namespace").asText(), metadata.path("name").asText());
        }
      }
      if (!progress.hasWorkloads()) {
        throw new CliFailure("nothing to run (the files hold no JobSet, Job or Pod)");
      }
    } finally {
      lock.unlock();
    }
  }

  /** True when the run is over, false when it is not at the deadline. */
  private boolean await(Optional<Long> deadline) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!over) {
        long left = deadline.map(end -> end - System.nanoTime()).orElse(Long.MAX_VALUE);
        if (left <= 0) {
          return false;
        }
        var now = Instant.now();
        progress.due(now).forEach(this::say);
        long due =
            progress
                .nextDue()
                .map(at -> Math.max(1, Duration.between(now, at).toNanos()))
                .orElse(Long.MAX_VALUE);
        var _ = news.awaitNanos(Math.min(left, due));
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Each kind is watched by itself, so a workload may have ended before the end of its pods is
   * heard: who made it fail, and their last words, are known only then.
   */
  private void awaitPods() throws InterruptedException {
    try {
      var written = newestPods();
      long left = LATE_PODS.toNanos();
      lock.lockInterruptibly();
      try {
        while (left > 0 && !hasHeardOf(written)) {
          left = news.awaitNanos(left);
        }
      } finally {
        lock.unlock();
      }
    } catch (ApiFailure | Transport.Unreachable e) {
      return; // what is known is all there is
    }
  }

  private boolean hasHeardOf(Map<String, Long> written) {
    return written.entrySet().stream()
        .allMatch(pod -> versions.getOrDefault(pod.getKey(), 0L) >= pod.getValue());
  }

  /** The versions of the pods that concern the run, by uid. */
  private Map<String, Long> newestPods()
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var newest = new HashMap<String, Long>();
    for (String namespace : namespaces()) {
      for (var pod : client.list(Kinds.PODS, ListQuery.in(namespace)).items()) {
        if (concerns.test(named(pod, "Pod"))) {
          newest.put(pod.path("metadata").path("uid").asText(), version(pod));
        }
      }
    }
    return newest;
  }

  private static long version(JsonNode object) {
    return object.path("metadata").path("resourceVersion").asLong();
  }

  private Set<String> namespaces() {
    lock.lock();
    try {
      return progress.workloads().keySet().stream()
          .map(key -> key.split("/", -1)[1])
          .collect(Collectors.toSet());
    } finally {
      lock.unlock();
    }
  }

  private void delete(JsonNode object) throws InterruptedException {
    var resource = WORKLOADS.get(object.path("kind").asText());
    if (resource == null) {
      return;
    }
    var metadata = object.path("metadata");
    var key = new ObjectKey(metadata.path("namespace").asText(), metadata.path("name").asText());
    try {
      client.delete(resource, key, DeleteOptions.NONE.with(DeleteOptions.Propagation.BACKGROUND));
    } catch (ApiFailure | Transport.Unreachable e) {
      screen.note("%s: cannot be stopped: %s".formatted(key.name(), e.getMessage()));
    }
  }

  /** Pods that nobody deletes (the Job controller may be late) are covered by the limit. */
  private void awaitNoPods() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      int grace = pods.values().stream().mapToInt(Integer::intValue).max().orElse(0);
      long left = Duration.ofSeconds(grace).plus(AFTER_GRACE).toNanos();
      while (!pods.isEmpty() && left > 0) {
        left = news.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Of events only those about what is followed; their name begins like the workload's. */
  private static boolean concerns(String workload, JsonNode object) {
    if (object.path("kind").asText().equals("Event")) {
      var about = object.path("involvedObject");
      String[] parts = workload.split("/", -1);
      return about.path("namespace").asText().equals(parts[1])
          && about.path("name").asText().startsWith(parts[2]);
    }
    return Workload.key(object).equals(workload) || Workload.of(object).equals(workload);
  }

  private void changed(Delta<ObjectNode> delta) {
    if (delta.now().or(delta::old).filter(item -> concerns.test(item.value())).isEmpty()) {
      return;
    }
    var pod =
        delta
            .now()
            .filter(item -> item.value().path("kind").asText().equals("Pod"))
            .map(item -> FollowedPod.of(item.value()));
    lock.lock();
    try {
      var now = Instant.now();
      var lines =
          pod.map(newest -> progress.changed(newest, now))
              .or(() -> delta.now().map(item -> progress.changed(item.value(), now)))
              .orElseGet(
                  () -> delta.old().map(item -> progress.removed(item.value())).orElse(List.of()));
      if (!stopping) {
        lines.forEach(this::say);
      }
      pod.ifPresent(logs::podChanged); // before the run is over by it: these are its last words
      pod.ifPresent(this::count);
      pod.ifPresent(newest -> versions.put(newest.uid(), version(newest.wire())));
      if (delta.now().isEmpty()) {
        delta.old().ifPresent(item -> gone(item.uid()));
      }
      if (!over && progress.result().isPresent()) { // after the lines: the summary follows them
        over = true;
        ended = System.nanoTime();
      }
      progress.culpritInstances().forEach(culpritInstances::add);
      news.signalAll();
    } finally {
      lock.unlock();
    }
    screen.changed();
  }

  private void gone(String uid) {
    pods.remove(uid);
    versions.replace(uid, Long.MAX_VALUE);
  }

  private void count(FollowedPod pod) {
    if (pod.status().phase().isTerminal()) {
      pods.remove(pod.uid());
    } else {
      var grace = Trees.integer(pod.wire(), "spec", "terminationGracePeriodSeconds");
      pods.put(pod.uid(), grace.orElse(GRACE));
    }
  }

  private void say(String line) {
    var now = Instant.now();
    story.addLast(new RunReport.Said(now, line.replaceAll("\\R+", " ")));
    if (story.size() > LONGEST_STORY) {
      story.removeFirst();
    }
    screen.said(Duration.ofNanos(System.nanoTime() - begun), line);
  }
}
