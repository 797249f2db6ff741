package dev.regroup.cli.run;

import dev.regroup.rules.pod.ContainerId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who failed first in each round of a workload, and why. A round is what runs between two restarts:
 * the attempt of a group, or the pods of one generation of Jobs. One thread at a time.
 */
final class FailureHistory {

  /**
   * One failure.
   *
   * @param pod its name
   * @param words what happened to it
   * @param instance of the container that ended, {@link ContainerId#NONE} if the pod failed
   */
  record Fault(Round round, String pod, Instant at, String words, ContainerId instance) {

    String text() {
      return pod + ": " + words;
    }

    /** A probe ended it. */
    boolean isHang() {
      return words.endsWith("probe failed");
    }
  }

  /** The Jobs were made for the n-th time, their pods at the n-th attempt. */
  record Round(int generation, int attempt) implements Comparable<Round> {

    @Override
    public int compareTo(Round other) {
      return Comparator.comparingInt(Round::generation)
          .thenComparingInt(Round::attempt)
          .compare(this, other);
    }
  }

  private final Map<String, List<Fault>> failures = new HashMap<>();
  private final Set<ContainerId> instances = new HashSet<>();
  private final Map<String, Instant> unhealthy = new HashMap<>(); // by pod's uid and container

  /** A probe failed so often that its container is stopped. */
  void probeFailed(String podUid, String container, String probe, Instant at) {
    unhealthy.putIfAbsent(podUid + "/" + container + "/" + probe, at);
  }

  /** Notes an end; returns what happened in words, empty when it is no failure of its own. */
  Optional<String> ended(FollowedPod pod, ContainerEnd end, Instant now) {
    if (!end.failed()) {
      return Optional.empty();
    }
    Instant at = end.finishedAt(now);
    String words = end.words();
    for (String probe : List.of("liveness", "startup")) {
      Instant failed = probeOf(pod, end, probe);
      if (failed != null) {
        words = "container %s was stopped, its %s probe failed".formatted(end.container(), probe);
        at = failed;
      }
    }
    add(pod, at, words, end.terminated().containerId());
    return Optional.of(words);
  }

  /** A pod failed as a whole: evicted, past its deadline. */
  void failed(FollowedPod pod, String words, Instant now) {
    add(pod, now, words, ContainerId.NONE);
  }

  /** Of all containers that failed. */
  Set<ContainerId> instances() {
    return instances;
  }

  private void add(FollowedPod pod, Instant at, String words, ContainerId instance) {
    instances.add(instance);
    failures
        .computeIfAbsent(pod.workload(), _ -> new ArrayList<>())
        .add(new Fault(pod.round(), pod.name(), seconds(at), words, instance));
  }

  /** A probe that failed while this instance of the container ran. */
  private @Nullable Instant probeOf(FollowedPod pod, ContainerEnd end, String probe) {
    String key = pod.uid() + "/" + end.container() + "/" + probe;
    Instant failed = unhealthy.get(key);
    if (failed == null || failed.isBefore(end.terminated().startedAt())) {
      return null;
    }
    unhealthy.remove(key);
    return failed;
  }

  /** Who ended a round: who failed first, and among those of one second whom the API names. */
  Optional<Fault> of(String workload, Round round, String named) {
    return in(workload, round).stream()
        .min(
            Comparator.comparing(Fault::at)
                .thenComparingInt(failure -> failure.pod().equals(named) ? 0 : 1));
  }

  /** Everybody who failed in this round. */
  List<Fault> in(String workload, Round round) {
    return failures.getOrDefault(workload, List.of()).stream()
        .filter(failure -> failure.round().equals(round))
        .toList();
  }

  /** Everybody who failed in the same round as this one, but after it. */
  List<Fault> after(String workload, Fault first) {
    return in(workload, first.round()).stream().filter(failure -> !failure.equals(first)).toList();
  }

  /** Who failed first in the last round in which somebody failed. */
  Optional<Fault> last(String workload) {
    return failures.getOrDefault(workload, List.of()).stream()
        .map(Fault::round)
        .max(Comparator.naturalOrder())
        .flatMap(round -> of(workload, round, ""));
  }

  /** Who failed first in the last round before the Jobs were made for the n-th time. */
  Optional<Fault> lastBefore(String workload, int generation) {
    return failures.getOrDefault(workload, List.of()).stream()
        .map(Fault::round)
        .filter(round -> round.generation() < generation)
        .max(Comparator.naturalOrder())
        .flatMap(round -> of(workload, round, ""));
  }

  /** Who failed last: for a workload that tries again pod by pod. */
  Optional<Fault> newest(String workload) {
    var all = failures.getOrDefault(workload, List.of());
    return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
  }

  /** Times of the API are whole seconds; those of events may be finer. */
  private static Instant seconds(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS);
  }
}
