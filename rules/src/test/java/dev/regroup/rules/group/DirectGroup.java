package dev.regroup.rules.group;

import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Section 7.2 of jobset.md written down plainly over the whole list of pods, with the filters of
 * the [X] rules: the judge of the incremental implementation (JS-155).
 */
final class DirectGroup {

  private DirectGroup() {}

  static Barrier decide(List<PodReading> pods, int total, Barrier barrier) {
    var attempts = // JS-115 with JS-135, JS-140: one live pod per index
        IntStream.range(0, total)
            .mapToObj(index -> live(pods, index))
            .filter(found -> found.size() == 1)
            .map(List::getFirst)
            .filter(pod -> pod.report() instanceof AttemptReport.At)
            .mapToInt(pod -> pod.attempt().getAsInt())
            .toArray();
    int next = barrier.next();
    boolean complete =
        attempts.length == total && IntStream.of(attempts).allMatch(attempt -> attempt == next);
    if (complete) { // JS-118
      return barrier.lifted(next);
    }
    if (barrier.current().isEmpty()) { // JS-119
      return barrier;
    }
    int current = barrier.current().getAsInt();
    boolean ahead = IntStream.of(attempts).anyMatch(attempt -> attempt == current + 1);
    boolean failed = // JS-160
        IntStream.range(0, total)
            .anyMatch(index -> deadAt(pods, index, current) || deadAt(pods, index, current + 1));
    return ahead || failed // JS-120
        ? new Barrier(barrier.current(), OptionalInt.of(current))
        : barrier;
  }

  private static List<PodReading> live(List<PodReading> pods, int index) {
    return pods.stream()
        .filter(pod -> pod.completionIndex().orElse(-1) == index)
        .filter(pod -> pod.life() == PodReading.Life.LIVE)
        .toList();
  }

  /** The newest dead pod of this index was at this attempt, and nobody has reported since. */
  private static boolean deadAt(List<PodReading> pods, int index, int attempt) {
    var live = live(pods, index);
    boolean replaced = live.size() > 1 || live.stream().anyMatch(pod -> pod.attempt().isPresent());
    int newest =
        pods.stream()
            .filter(pod -> pod.completionIndex().orElse(-1) == index)
            .filter(pod -> pod.life() == PodReading.Life.DEAD)
            .mapToInt(pod -> pod.attempt().orElse(-1))
            .max()
            .orElse(-1);
    return !replaced && newest == attempt;
  }
}
