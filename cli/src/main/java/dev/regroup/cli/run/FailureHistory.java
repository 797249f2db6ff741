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
   * @param at a whole second unless the pod tells more
   * @param words what happened to it
   * @param instance of the container that ended, {@link ContainerId#NONE} if the pod failed
   * @param beside pods that may have failed before it: nobody can tell
   */
  record Fault(
      Round round,
      String pod,
      Instant at,
      String words,
      ContainerId instance,
      List<String> beside) {

    Fault(Round round, String pod, Instant at, String words, ContainerId instance) {
      this(round, pod, at, words, instance, List.of());
    }

    String text() {
      return pod + ": " + words + (beside.isEmpty() ? "" : "; in the same second as " + others());
    }

    private String others() {
      return beside.size() == 1 ? beside.getFirst() : beside.size() + " others";
    }

    private boolean isExact() {
      return !at.equals(seconds(at));
    }

    private Fault beside(List<String> others) {
      return new Fault(round, pod, at, words, instance, others);
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
  private final Map<String, Noted> newest = new HashMap<>(); // by pod's uid and container

  /** The newest end of a container that was noted as a fault of its own. */
  private record Noted(String workload, Fault fault, Instant started, Instant finished) {

    /** Times of the API are whole seconds. */
    boolean ranAt(Instant at) {
      return !at.isBefore(started) && !seconds(at).isAfter(finished);
    }
  }

  /**
   * A probe failed so often that its container is stopped. Events and pods are watched side by
   * side, and events are told later: the end of the container may be known already.
   */
  void probeFailed(String podUid, String container, String probe, Instant at) {
    var noted = newest.get(podUid + "/" + container);
    if (noted == null || !noted.ranAt(at)) {
      unhealthy.putIfAbsent(podUid + "/" + container + "/" + probe, at);
      return;
    }
    var known = noted.fault();
    var told =
        new Fault(
            known.round(), known.pod(), seconds(at), stopped(container, probe), known.instance());
    failures
        .getOrDefault(noted.workload(), List.of())
        .replaceAll(one -> one.equals(known) ? told : one);
    newest.remove(podUid + "/" + container);
  }

  private static String stopped(String container, String probe) {
    return "container %s was stopped, its %s probe failed".formatted(container, probe);
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
        words = stopped(end.container(), probe);
        at = seconds(failed);
      }
    }
    var fault = add(pod, at, words, end.terminated().containerId());
    newest.put(
        pod.uid() + "/" + end.container(),
        new Noted(pod.workload(), fault, end.terminated().startedAt(), end.finishedAt(now)));
    return Optional.of(words);
  }

  /** A pod failed as a whole: evicted, past its deadline. */
  void failed(FollowedPod pod, String words, Instant now) {
    var _ = add(pod, seconds(now), words, ContainerId.NONE);
  }

  /** Of all containers that failed. */
  Set<ContainerId> instances() {
    return instances;
  }

  private Fault add(FollowedPod pod, Instant at, String words, ContainerId instance) {
    instances.add(instance);
    var fault = new Fault(pod.round(), pod.name(), at, words, instance);
    failures.computeIfAbsent(pod.workload(), _ -> new ArrayList<>()).add(fault);
    return fault;
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

  /**
   * Who ended a round: who failed first. Of those of one second whom the API names, together with
   * the others, unless each tells its time more exactly.
   */
  Optional<Fault> of(String workload, Round round, String named) {
    var all = in(workload, round);
    var first = all.stream().map(fault -> seconds(fault.at())).min(Comparator.naturalOrder());
    var together =
        all.stream().filter(fault -> first.equals(Optional.of(seconds(fault.at())))).toList();
    if (together.stream().allMatch(Fault::isExact)) {
      return together.stream().min(Comparator.comparing(Fault::at));
    }
    return together.stream()
        .min(Comparator.comparingInt(fault -> fault.pod().equals(named) ? 0 : 1))
        .map(one -> one.beside(others(together, one)));
  }

  private static List<String> others(List<Fault> together, Fault one) {
    return together.stream()
        .map(Fault::pod)
        .filter(pod -> !pod.equals(one.pod()))
        .distinct()
        .sorted()
        .toList();
  }

  /** Everybody who failed in this round. */
  List<Fault> in(String workload, Round round) {
    return failures.getOrDefault(workload, List.of()).stream()
        .filter(failure -> failure.round().equals(round))
        .toList();
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
        .filter(round -> round.generation() == generation - 1)
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
