package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.job.JobReader;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.jobset.JobSetStatusReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.progress.KeptCost;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a person wants to know of a run: turns changes of objects into lines, and knows when the
 * workloads have ended and why. Pure but for what it remembers; one thread at a time.
 */
public final class RunProgress {

  /** How a workload ended. */
  public enum Result {
    SUCCEEDED,
    FAILED
  }

  private static final int MOST_EVENTS = 1_000;

  private final Map<String, Optional<Result>> workloads = new LinkedHashMap<>();
  private final Map<String, FollowedPod> pods = new HashMap<>(); // as last seen
  private final Map<String, JobSetStatus> jobSets = new HashMap<>(); // as last seen
  private final Map<String, JobSetStatus> groups = new HashMap<>(); // the same, also when gone
  private final Set<String> failed = new HashSet<>(); // Jobs and JobSets that gave up
  private final FailureHistory culprits = new FailureHistory();
  private final GroupNews groupNews = new GroupNews(culprits);
  private final RestartCounts counts = new RestartCounts();
  private final List<Recreation> recreations = new ArrayList<>();
  private int maxRestarts = -1; // of the newest JobSet
  private final Troubles troubles = new Troubles();
  private final ProbeFailures probes = new ProbeFailures();

  /** By uid; the one that changed longest ago goes first. */
  private final LinkedHashMap<String, ClusterEvent> events = new LinkedHashMap<>();

  /** Names a workload the run waits for, {@code JobSet/default/training}. */
  void expect(String kind, String namespace, String name) {
    workloads.put(Workload.key(kind, namespace, name), Optional.empty());
  }

  /** Notes the newest form of an object; returns what is worth saying about it. */
  List<String> changed(JsonNode object, Instant now) {
    return switch (object.path("kind").asText()) {
      case "JobSet" -> jobSet(object, now);
      case "Job" -> job(object);
      case "Pod" -> changed(FollowedPod.of(object), now);
      case "Event" -> event(object, now);
      default -> List.of();
    };
  }

  /** An object is gone; a workload that somebody deleted has failed. */
  List<String> removed(JsonNode object) {
    String key = Workload.key(object);
    pods.remove(key);
    jobSets.remove(key);
    failed.remove(key);
    troubles.removed(key);
    boolean waited = workloads.containsKey(key) && workloads.get(key).isEmpty();
    ended(key, Result.FAILED);
    return waited ? List.of(title(object) + " was deleted") : List.of();
  }

  /** What has lasted long enough to be said. */
  List<String> due(Instant now) {
    return troubles.due(now);
  }

  /** When {@link #due} is to be asked again. */
  Optional<Instant> nextDue() {
    return troubles.next();
  }

  /** The result of all workloads together, once the last has ended. */
  Optional<Result> result() {
    if (workloads.values().stream().anyMatch(Optional::isEmpty)) {
      return Optional.empty();
    }
    boolean failed =
        workloads.values().stream().flatMap(Optional::stream).anyMatch(Result.FAILED::equals);
    return Optional.of(failed ? Result.FAILED : Result.SUCCEEDED);
  }

  /** Whether this workload has ended. */
  boolean hasEnded(String key) {
    return workloads.getOrDefault(key, Optional.empty()).isPresent();
  }

  boolean hasWorkloads() {
    return !workloads.isEmpty();
  }

  RestartCounts counts() {
    return counts;
  }

  /** Who made workloads fail: one line for each that failed, where it is known. */
  List<String> culprits() {
    var lines = new ArrayList<String>();
    workloads.forEach((key, result) -> {
      if (result.equals(Optional.of(Result.FAILED))) {
        culprit(key).map(FailureHistory.Fault::text).ifPresent(lines::add);
      }
    });
    return lines;
  }

  /** What a run that has not ended waits for. */
  List<String> waitingFor() {
    var troubled = troubles.all();
    if (!troubled.isEmpty()) {
      return troubled;
    }
    return workloads.entrySet().stream()
        .filter(one -> one.getValue().isEmpty())
        .map(one -> {
          String[] parts = one.getKey().split("/", -1);
          return "%s/%s to end".formatted(parts[0].toLowerCase(Locale.ROOT), parts[2]);
        })
        .toList();
  }

  /** Group restarts that got past their barrier, oldest first, each with its cause in words. */
  List<GroupRestart> groupRestarts() {
    var restarts = new ArrayList<GroupRestart>();
    groups.forEach((key, status) -> {
      for (var one : status.group().restarts()) {
        var lifted = one.liftedAt();
        if (lifted != null) {
          restarts.add(groupRestart(key, status, one, lifted));
        }
      }
    });
    return restarts;
  }

  /** Group restarts whose barrier has not lifted. */
  List<GroupRestart> underWay() {
    var restarts = new ArrayList<GroupRestart>();
    jobSets.forEach((key, status) -> {
      if (status.terminalState().isEmpty() && !status.group().restarts().isEmpty()) {
        var newest = status.group().restarts().getLast();
        if (newest.liftedAt() == null) {
          restarts.add(groupRestart(key, status, newest, Instant.MAX));
        }
      }
    });
    return restarts;
  }

  private GroupRestart groupRestart(
      String key, JobSetStatus status, InPlaceRestart one, Instant lifted) {
    var culprit = groupNews.culprit(key, status, one);
    return new GroupRestart(
        key,
        one.attempt(),
        one.startedAt(),
        lifted,
        groupNews.cause(key, status, one),
        culprit.map(FailureHistory.Fault::pod).orElse(one.cause().pod()),
        culprit.map(FailureHistory.Fault::instance).orElse(ContainerId.NONE),
        groupNews.faults(key, status, one),
        one.cost());
  }

  /**
   * One restart of a group, as its JobSet remembers it.
   *
   * @param cause in words
   * @param culprit the pod that caused it, empty if none did
   * @param instance of the culprit's container
   * @param faults of everybody who failed before it
   * @param cost as the JobSet keeps it; null if it does not know it yet
   */
  record GroupRestart(
      String workload,
      int attempt,
      Instant startedAt,
      Instant liftedAt,
      String cause,
      String culprit,
      ContainerId instance,
      List<FailureHistory.Fault> faults,
      @Nullable KeptCost cost) {

    /** The same with this one as its cause. */
    GroupRestart because(FailureHistory.Fault fault) {
      return new GroupRestart(
          workload,
          attempt,
          startedAt,
          liftedAt,
          fault.text(),
          fault.pod(),
          fault.instance(),
          faults,
          cost);
    }
  }

  /** All Jobs of a JobSet were made anew for the n-th time. */
  record Recreation(String workload, int number, Instant seen, Optional<FailureHistory.Fault> of) {}

  /** In the order they were seen, with whoever is known by now to have caused them. */
  List<Recreation> recreations() {
    return recreations.stream()
        .map(one ->
            new Recreation(
                one.workload(),
                one.number(),
                one.seen(),
                culprits.lastBefore(one.workload(), one.number())))
        .toList();
  }

  /** Workloads with their result, empty while they run. */
  Map<String, Optional<Result>> workloads() {
    return workloads;
  }

  /** Who made a workload fail, if that is known. */
  Optional<FailureHistory.Fault> culprit(String key) {
    return key.startsWith("JobSet/") ? culprits.last(key) : culprits.newest(key);
  }

  /** The containers that made something fail. */
  Set<ContainerId> culpritInstances() {
    return culprits.instances();
  }

  /** The JobSets as last seen. */
  Map<String, JobSetStatus> groups() {
    return groups;
  }

  /** Pods that are there, as last seen. */
  Collection<FollowedPod> livePods() {
    return pods.values();
  }

  /** How often a JobSet may restart; -1 if it does not say. */
  int maxRestarts() {
    return maxRestarts;
  }

  /** What is in the way now, a line each. */
  List<String> troubled() {
    return troubles.all();
  }

  private List<String> jobSet(JsonNode object, Instant now) {
    String key = Workload.key(object);
    String title = title(object);
    var status = JobSetStatusReader.read(object.path("status"));
    if (JobSetReader.restartsInPlace(object)) {
      counts.group(key);
    }
    maxRestarts = Trees.integer(object, "spec", "failurePolicy", "maxRestarts").orElse(-1);
    counts.jobSet(Trees.text(object, "metadata", "uid"), status);
    troubles.jobSet(key, title, status, now);
    groups.put(key, status);
    var before = jobSets.put(key, status);
    if (before != null && status.restarts() > before.restarts()) {
      int number = status.restarts();
      recreations.add(new Recreation(key, number, now, Optional.empty()));
    }
    var lines = groupNews.of(key, title, before == null ? JobSetStatus.EMPTY : before, status);
    var failure = status.condition(JobSetStatus.Type.FAILED).filter(JobSetStatus.Condition::on);
    failure(key, title, failure.map(JobSetStatus.Condition::message), lines);
    switch (status.terminalState()) {
      case "Completed" -> ended(key, Result.SUCCEEDED);
      case "Failed" -> ended(key, Result.FAILED);
      default -> {}
    }
    return lines;
  }

  private List<String> job(JsonNode object) {
    String key = Workload.key(object);
    var status = JobReader.status(object);
    var lines = new ArrayList<String>();
    var failure = status.condition(JobStatus.Type.FAILED).filter(JobStatus.Condition::on);
    failure(key, title(object), failure.map(JobStatus.Condition::message), lines);
    if (status.finished()) {
      ended(key, status.is(JobStatus.Type.COMPLETE) ? Result.SUCCEEDED : Result.FAILED);
    }
    return lines;
  }

  /** Why a Job or JobSet gave up, once; that it completed shows in what it was made of. */
  private void failure(String key, String title, Optional<String> message, List<String> lines) {
    if (message.isEmpty()) {
      failed.remove(key);
    } else if (failed.add(key)) {
      lines.add("%s: failed: %s".formatted(title, message.get()));
    }
  }

  private void ended(String key, Result result) {
    workloads.computeIfPresent(key, (_, known) -> known.isPresent() ? known : Optional.of(result));
  }

  /** Notes the newest form of a pod; returns what is worth saying about it. */
  List<String> changed(FollowedPod now, Instant at) {
    counts.pod(now);
    troubles.pod(now, at);
    probes.shown(now);
    var seen = pods.put(now.key(), now);
    var before = seen == null ? FollowedPod.NONE : seen;
    var lines = new ArrayList<String>();
    initStarts(before, now, lines);
    for (ContainerEnd end : ContainerEnd.between(before, now)) {
      culprits.ended(now, end, at).ifPresent(words -> lines.add(now.title() + ": " + words));
    }
    if (before.status().phase() != now.status().phase()) {
      switch (now.status().phase()) {
        case PENDING -> {}
        case RUNNING ->
            lines.add(
                now.title()
                    + ": running at "
                    + Trees.textIfPresent(now.wire(), "status", "podIP").orElse("?"));
        case SUCCEEDED -> {
          lines.add(now.title() + ": succeeded");
          ended(now.key(), Result.SUCCEEDED);
        }
        case FAILED -> {
          failedPod(now, at, lines);
          ended(now.key(), Result.FAILED);
        }
      }
    }
    return lines;
  }

  /** A pod that is being deleted ends somehow; only others have failed. */
  private void failedPod(FollowedPod pod, Instant at, List<String> lines) {
    String reason = pod.status().reason();
    String message = pod.status().message();
    if (!reason.isEmpty()) {
      String words = message.isEmpty() ? reason : reason + ": " + message;
      culprits.failed(pod, words, at);
      lines.add(pod.title() + ": failed: " + words);
    } else if (!pod.isDeleted()) {
      lines.add(pod.title() + ": failed");
    }
  }

  /** The first start only: what takes its time before anything else is to be seen. */
  private static void initStarts(FollowedPod before, FollowedPod now, List<String> lines) {
    for (var status : now.status().containers()) {
      boolean ran = before.status().container(status.name()).filter(RunProgress::runs).isPresent();
      if (status.kind() != ContainerKind.REGULAR
          && runs(status)
          && status.restartCount() == 0
          && !ran) {
        lines.add("%s: init container %s runs".formatted(now.title(), status.name()));
      }
    }
  }

  private static boolean runs(ContainerStatus status) {
    return status.state() instanceof ContainerState.Running;
  }

  /** A container that a probe ends may take its whole grace: said when it begins. */
  private List<String> event(JsonNode event, Instant now) {
    var lines = new ArrayList<String>();
    troubles.event(event, now);
    keep(event, now);
    var about = event.path("involvedObject");
    var pod = pods.getOrDefault(podKey(about), FollowedPod.NONE);
    probes
        .event(event, pod, now)
        .ifPresent(fatal -> {
          culprits.probeFailed(fatal.podUid(), fatal.container(), fatal.probe(), fatal.at());
          lines.add(
              "pod/%s: container %s is stopped, its %s probe failed%s"
                  .formatted(
                      about.path("name").asText(),
                      fatal.container(),
                      fatal.probe(),
                      fatal.said().isEmpty() ? "" : ": " + fatal.said()));
        });
    return lines;
  }

  private void keep(JsonNode event, Instant now) {
    var told = ClusterEvent.of(event).heard(now);
    if (told.tells()) {
      String uid = event.path("metadata").path("uid").asText();
      events.remove(uid);
      events.put(uid, told);
      if (events.size() > MOST_EVENTS) {
        events.pollFirstEntry();
      }
    }
  }

  /** Warnings, and what was told about anything but pods; the newest. */
  List<ClusterEvent> events() {
    return List.copyOf(events.values());
  }

  private static String podKey(JsonNode about) {
    return Workload.key("Pod", about.path("namespace").asText(), about.path("name").asText());
  }

  /** What people call an object: {@code jobset/training}. */
  public static String title(JsonNode object) {
    return object.path("kind").asText().toLowerCase(Locale.ROOT)
        + "/"
        + object.path("metadata").path("name").asText();
  }
}
