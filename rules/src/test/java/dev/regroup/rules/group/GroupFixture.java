package dev.regroup.rules.group;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A group of one Job for table tests: pods by index, the real counters, the real plan. */
final class GroupFixture {

  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  final Counters counters = new Counters();
  GroupStatus status = GroupStatus.UNSET;
  int maxRestarts = 3;
  GroupPlan.Mood mood = GroupPlan.Mood.RUNNING;
  Optional<Sign.Kind> voluntary = Optional.empty();
  Optional<GroupRestartRequest> request = Optional.empty();
  Optional<Instant> waitingSince = Optional.empty();
  Optional<Instant> oddSince = Optional.empty();
  int usedElsewhere;
  int recreations;
  int done;

  GroupFixture(int size) {
    counters.expect(roster(size, Roster.Places.INDEXED));
  }

  static Roster roster(int size, Roster.Places places) {
    return new Roster(List.of(new Roster.Entry("w", List.of("a-w-0"), size, places)));
  }

  GroupFixture at(int index, int attempt) {
    return put("p" + index, index, new AttemptReport.At(attempt), PodReading.Life.LIVE, null);
  }

  GroupFixture allAt(int size, int attempt) {
    for (int index = 0; index < size; index++) {
      at(index, attempt);
    }
    return this;
  }

  GroupFixture put(
      String uid, int index, AttemptReport report, PodReading.Life life, @Nullable Sign sign) {
    counters.put(
        new PodReading(uid, uid, "a-w-0", OptionalInt.of(index), report, life, sign, 0, false));
    return this;
  }

  GroupFixture running(int current) {
    return status(current, current - 1);
  }

  GroupFixture status(int current, int previous) {
    var barrier =
        new Barrier(
            OptionalInt.of(current), previous < 0 ? OptionalInt.empty() : OptionalInt.of(previous));
    status = new GroupStatus(barrier, OptionalInt.of(0), 0, List.of(), Optional.empty());
    return this;
  }

  GroupPlan plan() {
    return plan(NOW);
  }

  GroupPlan plan(Instant now) {
    return GroupPlan.decide(
        counters.tally(),
        status,
        new GroupPlan.Situation(
            maxRestarts,
            usedElsewhere,
            recreations,
            done,
            mood,
            voluntary,
            request,
            waitingSince,
            oddSince),
        now);
  }

  /** Decides and keeps the outcome, as a controller that writes it. */
  GroupPlan step() {
    var plan = plan();
    status = plan.status();
    return plan;
  }
}
