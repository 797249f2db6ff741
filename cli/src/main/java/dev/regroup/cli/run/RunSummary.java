package dev.regroup.cli.run;

import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.Stages;
import dev.regroup.rules.Stages.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a run came to: how it ended and because of whom, its restarts, and where their time went.
 * Lines of at most 80 columns, unless a single word is longer.
 */
final class RunSummary {

  private static final int WIDTH = 80;
  private static final int MOST = 10; // restarts that are told one by one
  private static final int MOST_NAMES = 3;

  /** Who does not catch the signal is gone in less (RAC-55): 0.5 s. */
  private static final Duration NOTICEABLE = Duration.ofMillis(500);

  private final List<String> lines = new ArrayList<>();

  private RunSummary() {}

  /**
   * @param ended how the run ended in words, such as {@code failed}
   * @param why lines that name who ended it, or what it waited for
   */
  static String text(Duration elapsed, String ended, List<String> why, RunProgress progress) {
    var summary = new RunSummary();
    summary.add("%s %s, %s".formatted(ended, seconds(elapsed), progress.counts().words()), "  ");
    why.forEach(line -> summary.add("  " + line, "    "));
    summary.restarts(progress);
    return String.join("\n", summary.lines);
  }

  /** One restart of one pod. */
  private record PodRestart(FollowedPod pod, Map<Moment, Instant> moments) {}

  private void restarts(RunProgress progress) {
    var told = new ArrayList<Told>();
    var counts = progress.counts();
    var groups = together(counts.pods());
    var inPlace = progress.groupRestarts();
    for (var restart : inPlace) {
      var pods =
          groups.stream()
              .filter(group -> group.getFirst().pod().workload().equals(restart.workload()))
              .filter(group -> isAround(group, restart.liftedAt()))
              .findFirst()
              .orElse(List.of());
      told.add(new Told(restart.startedAt(), pods, restart));
    }
    groups.stream()
        .filter(group -> !counts.isInGroup(group.getFirst().pod()))
        .forEach(group -> told.add(new Told(begin(group.getFirst()), group, null)));
    told.sort(Comparator.comparing(Told::begin));
    int forgotten = counts.forgotten(inPlace.size());
    int first = Math.max(0, told.size() - MOST);
    if (first + forgotten > 0) {
      add(
          "of %d restarts the last %d:".formatted(told.size() + forgotten, told.size() - first),
          "  ");
    }
    for (int i = first; i < told.size(); i++) {
      restart(forgotten + i + 1, told.get(i));
    }
    if (!told.isEmpty()) {
      add(
          "(from the exit to all running; until a hang is noticed, its grace, the program's own"
              + " start and the steps it does again come on top)",
          " ");
    }
  }

  /** One restart to be told; {@code group} is null for that of a single pod. */
  private record Told(
      Instant begin,
      List<PodRestart> pods,
      RunProgress.@org.jspecify.annotations.Nullable GroupRestart group) {}

  private void restart(int number, Told told) {
    var group = told.group();
    if (told.pods().isEmpty() && group != null) { // every pod is a new one
      add(
          "restart %d: %s until the barrier lifted"
              .formatted(number, seconds(Duration.between(group.startedAt(), group.liftedAt()))),
          "  ");
    } else {
      var stages = Stages.ofGroup(told.pods().stream().map(RunSummary::moments).toList());
      String slowest =
          told.pods().stream()
              .max(Comparator.comparing(restart -> before(restart, Moment.AT_BARRIER)))
              .map(restart -> restart.pod().name())
              .orElse("");
      int pods = told.pods().size();
      add(
          "restart %d: %s down, %s"
              .formatted(
                  number,
                  seconds(stages.total()),
                  pods == 1 ? slowest : pods + " pods, slowest " + slowest),
          "  ");
      spans(stages);
      if (group != null) {
        graces(told.pods());
      }
    }
    if (group != null && !group.cause().isEmpty()) {
      add("  because of " + group.cause(), "    ");
    }
  }

  /** Where the time went; what took none is left out. */
  private void spans(Stages stages) {
    String none = seconds(Duration.ZERO);
    String spans =
        stages.spans().stream()
            .filter(span -> !seconds(span.took()).equals(none))
            .map(span -> span.until().words() + " " + seconds(span.took()))
            .collect(Collectors.joining(", "));
    if (!spans.isEmpty()) {
      add("  until " + spans, "    ");
    }
  }

  /** Workers that caught the stop signal and let their group wait (JS-169). */
  private void graces(List<PodRestart> pods) {
    var late =
        pods.stream()
            .filter(pod -> stopping(pod).compareTo(NOTICEABLE) >= 0)
            .sorted(Comparator.comparing(RunSummary::stopping).reversed())
            .toList();
    if (late.isEmpty()) {
      return;
    }
    String names =
        late.stream()
            .limit(MOST_NAMES)
            .map(restart -> restart.pod().name())
            .collect(Collectors.joining(", "));
    String more = late.size() > MOST_NAMES ? " and " + (late.size() - MOST_NAMES) + " more" : "";
    add(
        "  %s of it for %s%s to end after the stop signal (annotation %s: how long they may take)"
            .formatted(seconds(stopping(late.getFirst())), names, more, JobSetKeys.RESTART_GRACE),
        "    ");
  }

  private static Duration stopping(PodRestart restart) {
    var moments = restart.moments();
    var told = moments.get(Moment.NOTICED);
    var stopped = moments.get(Moment.STOPPED);
    return told == null || stopped == null ? Duration.ZERO : Duration.between(told, stopped);
  }

  /** Restarts of pods of one workload that overlap in time are one restart of their group. */
  private static List<List<PodRestart>> together(Collection<FollowedPod> pods) {
    var groups = new ArrayList<List<PodRestart>>();
    pods.stream()
        .flatMap(pod ->
            pod.restarts().newest().stream().map(restart -> new PodRestart(pod, restart.moments())))
        .sorted(Comparator.comparing(RunSummary::begin))
        .collect(Collectors.groupingBy(restart -> restart.pod().workload()))
        .values()
        .forEach(ofOne -> groups.addAll(overlapping(ofOne)));
    return groups;
  }

  private static List<List<PodRestart>> overlapping(List<PodRestart> sorted) {
    var groups = new ArrayList<List<PodRestart>>();
    Instant end = Instant.MIN;
    for (PodRestart restart : sorted) {
      boolean again =
          !groups.isEmpty()
              && groups.getLast().stream()
                  .anyMatch(one -> one.pod().uid().equals(restart.pod().uid()));
      if (groups.isEmpty() || again || begin(restart).isAfter(end)) {
        groups.add(new ArrayList<>());
        end = Instant.MIN;
      }
      groups.getLast().add(restart);
      Instant ready = restart.moments().getOrDefault(Moment.RUNNING, Instant.MAX);
      end = ready.isAfter(end) ? ready : end;
    }
    return groups;
  }

  /** Whether the barrier lifted between the first and the last moment of these pods. */
  private static boolean isAround(List<PodRestart> group, Instant lifted) {
    Instant end =
        group.stream()
            .flatMap(restart -> restart.moments().values().stream())
            .max(Comparator.naturalOrder())
            .orElse(Instant.MIN);
    return !begin(group.getFirst()).isAfter(lifted) && !end.isBefore(lifted);
  }

  /** A pod that was not the cause saw no exit: its restart begins when it is told. */
  private static Map<Moment, Instant> moments(PodRestart restart) {
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    moments.putAll(restart.moments());
    moments.putIfAbsent(Moment.EXIT_SEEN, begin(restart));
    return moments;
  }

  private static Instant begin(PodRestart restart) {
    return restart.moments().values().stream().min(Comparator.naturalOrder()).orElse(Instant.MAX);
  }

  private static Instant before(PodRestart restart, Moment moment) {
    return restart
        .moments()
        .getOrDefault(moment, restart.moments().getOrDefault(Moment.RUNNING, Instant.MAX));
  }

  /** Adds a text, broken between words; later lines begin with the indent. */
  private void add(String text, String indent) {
    var line = new StringBuilder();
    for (String word : text.strip().split(" ", -1)) {
      if (line.isEmpty()) {
        line.append(text, 0, text.indexOf(text.strip())).append(word);
      } else if (line.length() + 1 + word.length() <= WIDTH) {
        line.append(' ').append(word);
      } else {
        lines.add(line.toString());
        line = new StringBuilder(indent).append(word);
      }
    }
    lines.add(line.toString());
  }

  static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.2fs", duration.toNanos() / 1e9);
  }
}
