package dev.regroup.rules.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalInt;
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

  /** What one place counts for; {@code attempt} and {@code signAttempt} are -1 for none. */
  private record Share(
      int attempt, int signAttempt, @Nullable Sign sign, boolean succeeded, int runaway) {
    static final Share NOTHING = new Share(-1, -1, null, false, 0);
  }

  private static final class Place {
    final List<PodReading> pods = new ArrayList<>(1);
    Share share = Share.NOTHING;

    /** A pod at this attempt vanished without success; -1 for none. */
    int lostAttempt = -1;

    @Nullable Sign lost;
  }

  private Roster roster = Roster.EMPTY;
  private Map<String, Roster.Entry> byJob = Map.of();
  private final Map<String, PodReading> pods = new HashMap<>();
  private final Map<SlotId, Place> places = new HashMap<>();
  private final NavigableMap<Integer, Integer> atAttempt = new TreeMap<>();
  private final Map<String, NavigableMap<Integer, Integer>> ready = new LinkedHashMap<>();
  private final Map<Integer, SequencedMap<SlotId, Sign>> signs = new TreeMap<>();
  private final NavigableMap<Integer, Integer> runaways = new TreeMap<>();
  private final SequencedSet<SlotId> missing = new LinkedHashSet<>();
  private final SequencedMap<String, String> corrupt = new LinkedHashMap<>();
  private final Map<String, Integer> livePerJob = new HashMap<>();
  private int overfullJobs;
  private int succeeded;
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
    if (place != null && old.life() != PodReading.Life.SUCCEEDED && old.attempt().isPresent()) {
      place.lostAttempt = Math.max(place.lostAttempt, old.attempt().getAsInt());
      place.lost = old.sign() != null ? old.sign() : Sign.of(Sign.Kind.POD_DELETED, old.name());
    }
    return change(old, null);
  }

  /** A pod no longer counts, and that is nobody's failure: its Job was replaced on purpose. */
  public boolean forget(String uid) {
    var old = pods.remove(uid);
    return old != null && change(old, null);
  }

  public Tally tally() {
    var first = new TreeMap<Integer, Sign>();
    signs.forEach((attempt, found) -> first.put(attempt, found.firstEntry().getValue()));
    return new Tally(
        roster.expected(),
        atAttempt,
        overfullJobs == 0,
        first,
        succeeded,
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
    boolean changed = recount(slot, place);
    if (place.pods.isEmpty() && place.lostAttempt < 0) {
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
    if (now != null && now.report() instanceof Report.Corrupt(String text)) {
      corrupt.put(now.name(), text);
    }
  }

  private void recount() {
    atAttempt.clear();
    ready.clear();
    signs.clear();
    runaways.clear();
    missing.clear();
    livePerJob.clear();
    overfullJobs = 0;
    succeeded = 0;
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
      place.share = Share.NOTHING;
      recount(slot, place);
    });
  }

  private boolean recount(SlotId slot, Place place) {
    var share = shareOf(slot, place);
    if (share.equals(place.share)) {
      return false;
    }
    apply(slot, place.share, -1);
    place.share = share;
    apply(slot, share, 1);
    return true;
  }

  /**
   * A place is at an attempt when exactly one pod fills it, reports that attempt and shows no sign
   * of failure; what dead pods report matters only while nobody has taken their place (JS-135).
   */
  private Share shareOf(SlotId slot, Place place) {
    if (!expects(slot)) {
      return Share.NOTHING;
    }
    PodReading live = null;
    PodReading done = null;
    PodReading dead = null;
    int lives = 0;
    for (var pod : place.pods) {
      switch (pod.life()) {
        case LIVE -> {
          live = pod;
          lives++;
        }
        case SUCCEEDED -> done = pod;
        case DEAD -> dead = later(dead, pod);
      }
    }
    if (lives > 1) {
      return Share.NOTHING;
    }
    if (live != null && live.attempt().isPresent()) {
      int attempt = live.attempt().getAsInt();
      if (attempt > place.lostAttempt || live.sign() == null) {
        place.lostAttempt = -1;
        place.lost = null;
      }
      return live.sign() == null
          ? new Share(attempt, -1, null, false, live.runaway())
          : new Share(-1, attempt, live.sign(), false, live.runaway());
    }
    if (live == null && done != null) {
      return new Share(done.attempt().orElse(-1), -1, null, true, 0);
    }
    int runaway = live == null ? 0 : live.runaway();
    if (dead != null && dead.sign() != null && dead.attempt().orElse(-1) >= place.lostAttempt) {
      return new Share(-1, dead.attempt().orElse(-1), dead.sign(), false, runaway);
    }
    return new Share(-1, place.lostAttempt, place.lost, false, runaway);
  }

  private static PodReading later(@Nullable PodReading one, PodReading other) {
    return one == null || other.attempt().orElse(-1) >= one.attempt().orElse(-1) ? other : one;
  }

  private boolean expects(SlotId slot) {
    var entry = byJob.get(slot.job());
    if (entry == null) {
      return false;
    }
    return entry.places() == Roster.Places.ANY
        || Integer.parseInt(slot.place()) < entry.podsPerJob();
  }

  private void apply(SlotId slot, Share share, int step) {
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
    succeeded += share.succeeded() ? step : 0;
    var sign = share.sign();
    if (sign != null && share.signAttempt() >= 0) {
      var found = signs.computeIfAbsent(share.signAttempt(), _ -> new LinkedHashMap<>());
      if (step > 0) {
        found.put(slot, sign);
      } else {
        found.remove(slot);
      }
      if (found.isEmpty()) {
        signs.remove(share.signAttempt());
      }
    }
    boolean filled = share.attempt() >= 0 || share.succeeded();
    if (step > 0 && filled) {
      missing.remove(slot);
    } else if (filled && expects(slot) && isIndexed(slot)) {
      missing.add(slot);
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
    return new Tally.Missing(
        slot,
        pod.name(),
        switch (pod.report()) {
          case Report.Corrupt _ -> Tally.Why.CORRUPT;
          case Report.None _ when pod.agentRunning() -> Tally.Why.AGENT_SILENT;
          case Report.None _, Report.At _ -> Tally.Why.NOT_STARTED;
        });
  }

  /** The attempt this pod is counted at, for the shell that follows restart counts. */
  public OptionalInt attemptOf(String uid) {
    var pod = pods.get(uid);
    return pod == null ? OptionalInt.empty() : pod.attempt();
  }
}
