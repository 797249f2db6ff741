package dev.regroup.rules.group;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The group in numbers, all a decision needs. Its size does not depend on the number of pods: one
 * line per attempt that some pod reports, and there are one or two of those.
 *
 * @param expected places that must be filled
 * @param atAttempt places filled by exactly one pod that reports this attempt
 * @param exactJobs no Job has more pods than it should (JS-135a)
 * @param signs per attempt: who failed first in it, of those that show it
 * @param ahead per attempt: who failed first of those that came to it by themselves
 * @param failingJobs some Job fails as a whole: the failure policy comes first (JS-160b)
 * @param succeeded places whose pod has succeeded
 * @param givenUp places whose Job makes no new pod for them
 * @param runaway most restarts of init containers in one pod since the group was in step
 * @param ready per replicated job: places at each attempt, for the start order (JS-133 b)
 * @param missing up to three places nobody has filled, for texts
 * @param corrupt a pod whose report cannot be used (JS-141), or empty
 */
public record Tally(
    int expected,
    NavigableMap<Integer, Integer> atAttempt,
    boolean exactJobs,
    Map<Integer, Failure> signs,
    Map<Integer, Failure> ahead,
    boolean failingJobs,
    int succeeded,
    int givenUp,
    int runaway,
    Map<String, NavigableMap<Integer, Integer>> ready,
    List<Missing> missing,
    String corrupt) {

  /** A place that is not filled; {@code pod} is empty when no pod exists. */
  public record Missing(SlotId slot, String pod, Why why, String detail) {
    public Missing(SlotId slot, String pod, Why why) {
      this(slot, pod, why, "");
    }

    String text() {
      var name = pod.isEmpty() ? slot.toString() : pod;
      return name + ": " + (detail.isEmpty() ? why.text() : detail);
    }
  }

  public enum Why {
    NO_POD("no Pod"),
    NOT_STARTED("Pod starts"),
    AGENT_SILENT("agent has not reported"),
    TROUBLE("a container cannot start"),
    CORRUPT("unreadable attempt"),
    DOUBLE("two Pods for one index");

    private final String text;

    Why(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  public Tally {
    atAttempt = Collections.unmodifiableNavigableMap(new TreeMap<>(atAttempt));
    signs = Map.copyOf(signs);
    ahead = Map.copyOf(ahead);
    ready = copy(ready);
    missing = List.copyOf(missing);
  }

  /** The counters go on counting while a plan is made from this. */
  private static Map<String, NavigableMap<Integer, Integer>> copy(
      Map<String, NavigableMap<Integer, Integer>> ready) {
    Map<String, NavigableMap<Integer, Integer>> copy = new LinkedHashMap<>();
    ready.forEach((job, counts) ->
        copy.put(job, Collections.unmodifiableNavigableMap(new TreeMap<>(counts))));
    return Collections.unmodifiableMap(copy);
  }

  public int at(int attempt) {
    return atAttempt.getOrDefault(attempt, 0);
  }

  /** A container of some pod cannot start: it is known at once why the barrier stays down. */
  boolean troubled() {
    return missing.stream().anyMatch(one -> one.why() == Why.TROUBLE);
  }

  /** The one attempt everybody is at, if the group is complete and in step (JS-118). */
  public OptionalInt inStep() {
    if (expected == 0 || atAttempt.size() != 1 || !exactJobs) {
      return OptionalInt.empty();
    }
    var only = atAttempt.firstEntry();
    return only.getValue() == expected ? OptionalInt.of(only.getKey()) : OptionalInt.empty();
  }
}
