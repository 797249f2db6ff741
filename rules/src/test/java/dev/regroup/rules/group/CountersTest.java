package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CountersTest {

  private static final int STEPS = Integer.getInteger("steps", 2_000);

  @Test
  void an_event_costs_the_same_for_ten_pods_and_ten_thousand_as73_js155() {
    assertThat(costOfOneEvent(10_000)).isEqualTo(costOfOneEvent(10));
  }

  @Test
  void a_repeated_reading_changes_nothing_js156() {
    var counters = new Counters();
    counters.expect(GroupFixture.roster(2, Roster.Places.INDEXED));
    var pod = reading("p0", 0, 0, PodReading.Life.LIVE);

    assertThat(counters.put(pod)).isTrue();
    assertThat(counters.put(pod)).isFalse();
  }

  /** JS-155: counting event by event gives what counting everybody gives. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void incremental_counts_decide_like_a_direct_count(long seed) {
    var random = new Random(seed);
    var counters = new Counters();
    int size = 1 + random.nextInt(5);
    counters.expect(GroupFixture.roster(size, Roster.Places.INDEXED));
    var pods = new ArrayList<PodReading>();
    for (int step = 0; step < STEPS; step++) {
      change(random, size, counters, pods);
      var barrier =
          new Barrier(
              random.nextInt(4) == 0 ? OptionalInt.empty() : OptionalInt.of(random.nextInt(3)),
              OptionalInt.empty());

      var direct = DirectGroup.decide(pods, size, barrier);
      var status = new GroupStatus(barrier, OptionalInt.of(0), 0, List.of(), Optional.empty());
      var counted =
          GroupPlan.decide(
              counters.tally(),
              status,
              new GroupPlan.Situation(
                  100,
                  0,
                  0,
                  0,
                  GroupPlan.Mood.RUNNING,
                  Optional.empty(),
                  Optional.empty(),
                  Optional.empty(),
                  Optional.empty()),
              GroupFixture.NOW);

      assertThat(counted.status().barrier())
          .as("seed %d step %d barrier %s pods %s", seed, step, barrier, pods)
          .isEqualTo(direct);
    }
  }

  private static void change(Random random, int size, Counters counters, List<PodReading> pods) {
    int kind = random.nextInt(5);
    if (kind == 0 && !pods.isEmpty()) {
      var gone = pods.remove(random.nextInt(pods.size()));
      counters.forget(gone.uid());
      return;
    }
    var uid = "u" + random.nextInt(size * 2);
    pods.removeIf(pod -> pod.uid().equals(uid));
    int index = Integer.parseInt(uid.substring(1)) % (size + 1); // one index is out of range
    var pod =
        reading(
            uid,
            index,
            random.nextInt(4),
            random.nextInt(10) < 7 ? PodReading.Life.LIVE : PodReading.Life.DEAD);
    pods.add(pod);
    counters.put(pod);
  }

  private static PodReading reading(String uid, int index, int attempt, PodReading.Life life) {
    return new PodReading(
        uid,
        uid,
        "a-w-0",
        OptionalInt.of(index),
        attempt == 3 ? AttemptReport.NONE : new AttemptReport.At(attempt),
        life,
        life == PodReading.Life.DEAD ? Sign.of(Sign.Kind.POD_FAILED, uid) : null,
        0,
        false);
  }

  private static long costOfOneEvent(int size) {
    var counters = new Counters();
    counters.expect(GroupFixture.roster(size, Roster.Places.INDEXED));
    for (int index = 0; index < size; index++) {
      counters.put(reading("p" + index, index, 0, PodReading.Life.LIVE));
    }
    long before = counters.operations();
    counters.put(reading("p1", 1, 1, PodReading.Life.LIVE));
    return counters.operations() - before;
  }
}
