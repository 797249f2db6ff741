package dev.regroup.rules.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts one group, event by event (JS-155): a pod event takes back what its place counted for and
 * counts it again, so it costs the same for ten pods and ten thousand. Only a new {@link Roster}
 * counts everybody anew. Belongs to one thread; holds nothing that a fresh list of pods would not
 * give back, except that a pod was seen at an attempt and vanished (an accelerator, JS-142).
 */
public final class Counters {

  private Roster roster = Roster.EMPTY;
  private Map<String, Roster.Entry> byJob = Map.of();
  private final Map<String, PodReading> pods = new HashMap<>();
  private final Map<SlotId, Place> places = new HashMap<>();
  private final NavigableMap<Integer, Integer> atAttempt = new TreeMap<>();
  private final Map<String, NavigableMap<Integer, Integer>> ready = new LinkedHashMap<>();
  private final Culprits signs = new Culprits();
  private final Culprits pasts = new Culprits();
  private final Map<String, JobState> states = new HashMap<>(); // of Jobs that do not just run
  private final NavigableMap<Integer, Integer> runaways = new TreeMap<>();
  private final SequencedSet<SlotId> missing = new LinkedHashSet<>();
  private final SequencedMap<String, String> corrupt = new LinkedHashMap<>();
  private final Map<String, Integer> livePerJob = new HashMap<>();
  private int overfullJobs;
  private int succeeded;
  private int givenUp;
  private long operations;

  /** Says who is expected. The same roster again costs nothing. */
  public void expect(Roster newRoster) {
    if (newRoster.equals(roster)) {
      return;
    }
    roster = newRoster;
    byJob = roster.byJob();
    recount();
  }

  /** A pod appeared or changed. Returns whether anything a decision looks at is different. */
  public boolean put(PodReading pod) {
    var old = pods.put(pod.uid(), pod);
    if (pod.equals(old)) {
      return false;
    }
    if (old != null && !old.slot().equals(pod.slot())) {
      change(old, null); // an index never changes; a pod that claims so is another one
      old = null;
    }
    return change(old, pod);
  }

  /** A pod is gone for good. If it ran and had not succeeded, its place has failed (JS-160). */
  public boolean remove(String uid) {
    var old = pods.remove(uid);
    if (old == null) {
      return false;
    }
    var place = places.get(old.slot());
    if (place != null) {
      place.lose(old);
    }
    return change(old, null);
  }

  /** A pod no longer counts, and that is nobody's failure: its Job was replaced on purpose. */
  public boolean forget(String uid) {
    var old = pods.remove(uid);
    return old != null && change(old, null);
  }

  /**
   * What becomes of a Job (JS-160b). While it does not just run, the ends of its pods are no signs;
   * they count again when it does. Looks at every place, once per change.
   */
  public boolean judge(String job, JobState state) {
    var old = state == JobState.RUNNING ? states.remove(job) : states.put(job, state);
    if (state == (old == null ? JobState.RUNNING : old)) {
      return false;
    }
    places.forEach((slot, place) -> {
      if (slot.job().equals(job)) {
        recount(slot, place);
      }
    });
    return true;
  }

  public Tally tally() {
    return new Tally(
        roster.expected(),
        atAttempt,
        overfullJobs == 0,
        signs.first(),
        pasts.first(),
        states.entrySet().stream()
            .anyMatch(one -> one.getValue() == JobState.FAILING && byJob.containsKey(one.getKey())),
        succeeded,
        givenUp,
        runaways.isEmpty() ? 0 : runaways.lastKey(),
        ready,
        firstMissing(),
        corrupt.isEmpty() ? "" : corrupt.firstEntry().getKey());
  }

  /** Steps taken so far, for the test that an event costs the same in every group. */
  long operations() {
    return operations;
  }

  private boolean change(@Nullable PodReading old, @Nullable PodReading now) {
    var slot = slotOf(old, now);
    var place = places.computeIfAbsent(slot, _ -> new Place());
    countLive(old, -1);
    countLive(now, 1);
    if (old != null) {
      place.pods.removeIf(pod -> pod.uid().equals(old.uid()));
    }
    if (now != null) {
      place.pods.add(now);
    }
    noteCorrupt(old, now);
    operations += place.pods.size() + 1;
    boolean trouble = !(old == null ? "" : old.trouble()).equals(now == null ? "" : now.trouble());
    boolean changed = recount(slot, place) || trouble;
    if (place.isEmpty()) {
      places.remove(slot);
    }
    return changed || old == null || now == null;
  }

  private static SlotId slotOf(@Nullable PodReading old, @Nullable PodReading now) {
    if (now != null) {
      return now.slot();
    }
    if (old != null) {
      return old.slot();
    }
    throw new IllegalArgumentException("neither an old nor a new reading");
  }

  private void countLive(@Nullable PodReading pod, int step) {
    if (pod == null || pod.life() != PodReading.Life.LIVE) {
      return;
    }
    var entry = byJob.get(pod.job());
    if (entry == null || entry.places() == Roster.Places.INDEXED) {
      return; // two pods for one index are seen at their place
    }
    int before = livePerJob.getOrDefault(pod.job(), 0);
    int after = before + step;
    livePerJob.put(pod.job(), after);
    overfullJobs += (after > entry.podsPerJob() ? 1 : 0) - (before > entry.podsPerJob() ? 1 : 0);
  }

  private void noteCorrupt(@Nullable PodReading old, @Nullable PodReading now) {
    if (old != null) {
      corrupt.remove(old.name());
    }
    if (now != null && now.report() instanceof AttemptReport.Corrupt(String text)) {
      corrupt.put(now.name(), text);
    }
  }

  private void recount() {
    atAttempt.clear();
    ready.clear();
    signs.clear();
    pasts.clear();
    runaways.clear();
    missing.clear();
    livePerJob.clear();
    overfullJobs = 0;
    succeeded = 0;
    givenUp = 0;
    for (var entry : roster.entries()) {
      ready.put(entry.replicatedJob(), new TreeMap<>());
      if (entry.places() == Roster.Places.INDEXED) {
        for (var job : entry.jobs()) {
          for (int index = 0; index < entry.podsPerJob(); index++) {
            missing.add(SlotId.indexed(job, index));
          }
        }
      }
    }
    pods.values().forEach(pod -> countLive(pod, 1));
    places.forEach((slot, place) -> {
      place.share = Place.Share.NOTHING;
      recount(slot, place);
    });
  }

  private boolean recount(SlotId slot, Place place) {
    boolean quiet = states.containsKey(slot.job());
    var share = expects(slot) ? place.look(quiet) : Place.Share.NOTHING;
    if (share.equals(place.share)) {
      return false;
    }
    apply(slot, place.share, -1);
    place.share = share;
    apply(slot, share, 1);
    return true;
  }

  private boolean expects(SlotId slot) {
    var entry = byJob.get(slot.job());
    if (entry == null) {
      return false;
    }
    return switch (entry.places()) {
      case ANY -> true;
      case INDEXED -> slot.index().orElse(Integer.MAX_VALUE) < entry.podsPerJob();
    };
  }

  private void apply(SlotId slot, Place.Share share, int step) {
    operations++;
    if (share.attempt() >= 0) {
      add(atAttempt, share.attempt(), step);
      var entry = byJob.get(slot.job());
      if (entry != null) {
        var perJob = ready.computeIfAbsent(entry.replicatedJob(), _ -> new TreeMap<>());
        add(perJob, share.attempt(), step);
      }
    }
    if (share.runaway() > 0) {
      add(runaways, share.runaway(), step);
    }
    succeeded += share.end() == Place.End.SUCCEEDED ? step : 0;
    givenUp += share.end() == Place.End.GIVEN_UP ? step : 0;
    blame(signs, share.signAttempt(), slot, share.sign(), step);
    blame(pasts, share.pastAttempt(), slot, share.past(), step);
    if (step > 0 && share.filled()) {
      missing.remove(slot);
    } else if (share.filled() && expects(slot) && isIndexed(slot)) {
      missing.add(slot);
    }
  }

  private static void blame(
      Culprits culprits, int attempt, SlotId slot, @Nullable Sign sign, int step) {
    if (sign == null || attempt < 0) {
      return;
    }
    if (step > 0) {
      culprits.put(attempt, new Failure(slot, sign));
    } else {
      culprits.remove(attempt, slot);
    }
  }

  private boolean isIndexed(SlotId slot) {
    var entry = byJob.get(slot.job());
    return entry != null && entry.places() == Roster.Places.INDEXED;
  }

  private static void add(NavigableMap<Integer, Integer> counts, int key, int step) {
    counts.merge(key, step, (a, b) -> a + b == 0 ? null : a + b);
  }

  private List<Tally.Missing> firstMissing() {
    var found = new ArrayList<Tally.Missing>(3);
    for (var slot : missing) {
      if (found.size() == 3) {
        break;
      }
      found.add(why(slot));
    }
    return found;
  }

  private Tally.Missing why(SlotId slot) {
    var place = places.get(slot);
    var live =
        place == null
            ? List.<PodReading>of()
            : place.pods.stream().filter(pod -> pod.life() == PodReading.Life.LIVE).toList();
    if (live.isEmpty()) {
      return new Tally.Missing(slot, "", Tally.Why.NO_POD);
    }
    var pod = live.getFirst();
    if (live.size() > 1) {
      return new Tally.Missing(slot, pod.name(), Tally.Why.DOUBLE);
    }
    if (!pod.trouble().isEmpty()) {
      return new Tally.Missing(slot, pod.name(), Tally.Why.TROUBLE, pod.trouble());
    }
    return new Tally.Missing(
        slot,
        pod.name(),
        switch (pod.report()) {
          case AttemptReport.Corrupt _ -> Tally.Why.CORRUPT;
          case AttemptReport.None _ when pod.agentRunning() -> Tally.Why.AGENT_SILENT;
          case AttemptReport.None _, AttemptReport.At _ -> Tally.Why.NOT_STARTED;
        });
  }
}
