package dev.regroup.rules.progress;

import dev.regroup.rules.Stages;
import dev.regroup.rules.Stages.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one restart cost a group, or a single pod.
 *
 * <ol>
 *   <li>It begins with the exit of whoever caused it; if that one hung, with the last sign of life
 *       it gave; if nobody exited, with the order to restart, or what its programs still wrote
 *       until they were told to stop.
 *   <li>The group is down until all its containers run and one of its programs has written
 *       something: that is when somebody who watches the output sees it work again.
 *   <li>What it does from there until it is back at the step it had reached, it does for the second
 *       time.
 * </ol>
 *
 * @param moments of the group, as far as they are known
 * @param works when it worked again
 * @param measure what that is known from
 * @param reached the furthest step before, -1 if none was told
 * @param resumed the first step after, -1 if none was told
 * @param waits for whose end the group waited, the longest first
 */
public record RestartCost(
    Map<Moment, Instant> moments,
    Instant began,
    Instant works,
    Measure measure,
    long reached,
    long resumed,
    List<Wait> waits) {

  /** What a figure is known from. */
  public enum Measure {
    /** The program tells its steps. */
    STEPS("steps"),
    /** The program writes something. */
    OUTPUT("output"),
    /** The program says nothing: it counts as working as soon as it runs. */
    RUNNING("running");

    private final String word;

    Measure(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }

    /** The weakest if nobody of ours wrote it. */
    public static Measure of(String word) {
      for (var measure : values()) {
        if (measure.word.equals(word)) {
          return measure;
        }
      }
      return RUNNING;
    }
  }

  /** The share of one pod in a restart. */
  public record Share(String pod, Map<Moment, Instant> moments, ProgramBreak program) {
    public Share {
      Objects.requireNonNull(pod, "pod");
      moments = Map.copyOf(moments);
    }
  }

  /** A pod whose program caught the stop signal and took its time. */
  public record Wait(String pod, Duration took) {}

  /** Who does not catch the signal is gone in less (RAC-55): 0.5 s. */
  private static final Duration NOTICEABLE = Duration.ofMillis(500);

  public RestartCost {
    moments = Collections.unmodifiableMap(new EnumMap<>(moments));
    waits = List.copyOf(waits);
  }

  /**
   * Of the shares of all pods it concerned.
   *
   * @param ordered when the group was told to restart; null if no group was
   * @param lifted when its barrier lifted; null if there was none
   */
  public static RestartCost of(
      Collection<Share> pods, @Nullable Instant ordered, @Nullable Instant lifted) {
    var group = new EnumMap<Moment, Instant>(Moment.class);
    group.putAll(Stages.groupMoments(pods.stream().map(Share::moments).toList()));
    var began = began(pods, group, ordered);
    if (!group.containsKey(Moment.LAST_SIGN)) {
      group.merge(Moment.EXIT_SEEN, began, (exit, _) -> exit.isBefore(began) ? exit : began);
    }
    if (lifted != null) {
      group.putIfAbsent(Moment.LIFTED, lifted);
    }
    long reached = pods.stream().mapToLong(share -> share.program().reached()).max().orElse(-1);
    long resumed =
        pods.stream()
            .mapToLong(share -> share.program().resumed())
            .filter(step -> step >= 0)
            .min()
            .orElse(-1);
    group.remove(Moment.CAUGHT_UP);
    caughtUp(pods, resumed).ifPresent(back -> group.put(Moment.CAUGHT_UP, back));
    return new RestartCost(
        group,
        began,
        works(group, began),
        measure(group, reached, resumed),
        reached,
        resumed,
        waits(pods));
  }

  /**
   * When the first of those was back that had told most steps. Who had told none beyond where the
   * group went on, such as only "from step 0", is back with its first word and says nothing.
   */
  private static Optional<Instant> caughtUp(Collection<Share> pods, long resumed) {
    return pods.stream()
        .filter(share -> share.moments().containsKey(Moment.CAUGHT_UP))
        .filter(share -> share.program().reached() >= resumed)
        .max(
            Comparator.<Share>comparingLong(share -> share.program().reached())
                .thenComparing(RestartCost::back, Comparator.reverseOrder()))
        .map(RestartCost::back);
  }

  private static Instant back(Share share) {
    return share.moments().getOrDefault(Moment.CAUGHT_UP, Instant.MAX);
  }

  private static Instant began(
      Collection<Share> pods, Map<Moment, Instant> group, @Nullable Instant ordered) {
    var sign = group.get(Moment.LAST_SIGN);
    if (sign != null) {
      return sign;
    }
    var first =
        pods.stream()
            .flatMap(share -> share.moments().values().stream())
            .min(Comparator.naturalOrder())
            .orElse(Instant.MAX);
    if (ordered == null || !ordered.isBefore(first)) {
      return first;
    }
    return group.containsKey(Moment.EXIT_SEEN) ? ordered : lastWork(pods, ordered);
  }

  /**
   * A program works on until its own pod hears of the order; what it writes later is farewell,
   * unless it was killed without a word.
   */
  private static Instant lastWork(Collection<Share> pods, Instant ordered) {
    var last = ordered;
    for (var share : pods) {
      var output = share.program().lastOutput();
      var told = share.moments().get(Moment.NOTICED);
      if (output != null && told != null) {
        var work = output.isBefore(told) || !share.program().warned() ? output : told;
        last = work.isAfter(last) ? work : last;
      }
    }
    return last;
  }

  private static Instant works(Map<Moment, Instant> group, Instant began) {
    var works = began;
    for (var moment : List.of(Moment.LIFTED, Moment.RUNNING, Moment.FIRST_OUTPUT)) {
      var at = group.get(moment);
      works = at != null && at.isAfter(works) ? at : works;
    }
    return works;
  }

  private static Measure measure(Map<Moment, Instant> group, long reached, long resumed) {
    if (group.containsKey(Moment.CAUGHT_UP) || (reached >= 0 && resumed >= 0)) {
      return Measure.STEPS;
    }
    return group.containsKey(Moment.FIRST_OUTPUT) ? Measure.OUTPUT : Measure.RUNNING;
  }

  private static List<Wait> waits(Collection<Share> pods) {
    return pods.stream()
        .filter(share -> share.program().warned())
        .map(share -> new Wait(share.pod(), stopping(share.moments())))
        .filter(wait -> wait.took().compareTo(NOTICEABLE) >= 0)
        .sorted(Comparator.comparing(Wait::took).reversed().thenComparing(Wait::pod))
        .toList();
  }

  private static Duration stopping(Map<Moment, Instant> moments) {
    var told = moments.get(Moment.NOTICED);
    var stopped = moments.get(Moment.STOPPED);
    return told == null || stopped == null ? Duration.ZERO : Duration.between(told, stopped);
  }

  /** The pod that came last to the barrier, or ran last; empty if nobody tells. */
  public static String slowest(Collection<Share> pods) {
    return pods.stream()
        .filter(share -> !share.moments().isEmpty())
        .max(Comparator.comparing(RestartCost::arrival))
        .map(Share::pod)
        .orElse("");
  }

  private static Instant arrival(Share share) {
    var ran = share.moments().getOrDefault(Moment.RUNNING, Instant.MIN);
    return share.moments().getOrDefault(Moment.AT_BARRIER, ran);
  }

  /**
   * Followed by another one: what wrote something before and nothing until then never worked again.
   *
   * @param wrote whether one of its programs did before
   * @param next when the group was told to restart again
   */
  public RestartCost before(Instant next, boolean wrote) {
    return wrote && !moments.containsKey(Moment.FIRST_OUTPUT) && next.isAfter(works)
        ? until(next)
        : this;
  }

  /** Of a group that does not work again yet: so far. */
  public RestartCost until(Instant now) {
    var later = now.isAfter(works) ? now : works;
    return new RestartCost(moments, began, later, measure, reached, resumed, waits);
  }

  /** What is worth keeping of it when the pods are gone. */
  public KeptCost kept() {
    return new KeptCost(began, works, back(), measure, reached, resumed);
  }

  /** What is left of one that only its JobSet remembers. */
  public static RestartCost of(KeptCost kept) {
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    moments.put(Moment.EXIT_SEEN, kept.began());
    moments.put(
        kept.measure() == Measure.RUNNING ? Moment.RUNNING : Moment.FIRST_OUTPUT, kept.works());
    var back = kept.back();
    if (back != null) {
      moments.put(Moment.CAUGHT_UP, back);
    }
    return new RestartCost(
        moments,
        kept.began(),
        kept.works(),
        kept.measure(),
        kept.reached(),
        kept.resumed(),
        List.of());
  }

  /** Where the time went, each span after the one before. */
  public Stages stages() {
    return Stages.of(moments);
  }

  public Duration down() {
    return Duration.between(began, works);
  }

  /**
   * When it was back at its step, not before it worked again: a pod can be back while others have
   * yet to start. Null if it was not, or told no steps.
   */
  public @Nullable Instant back() {
    var back = moments.get(Moment.CAUGHT_UP);
    return back == null || back.isAfter(works) ? back : works;
  }

  /** Steps done twice, as far as they were told; -1 if they were not. */
  public long redone() {
    return new ProgramBreak(null, reached, resumed).redone();
  }
}
