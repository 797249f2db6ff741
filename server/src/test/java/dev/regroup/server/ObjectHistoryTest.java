package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.server.ObjectHistory.Call;
import dev.regroup.server.ObjectHistory.Event;
import dev.regroup.server.ObjectHistory.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Small histories that hold, and what is noticed when they do not. */
class ObjectHistoryTest {

  private static final Map<String, String> ONE = Map.of("k", "1");
  private static final Map<String, String> TWO = Map.of("k", "2");

  private static final Event MADE = new Event("ADDED", "a", 1, "u", ONE);
  private static final Event CHANGED = new Event("MODIFIED", "a", 2, "u", TWO);
  private static final Call MAKE = call(Kind.CREATE, 0, ONE, 0, 10, 201, 1, Map.of("a", ONE));
  private static final Call CHANGE = call(Kind.UPDATE, 1, TWO, 20, 30, 200, 2, Map.of("a", TWO));

  @Test
  void calls_that_fit_the_events_hold() {
    var during = call(Kind.GET, 0, Map.of(), 25, 40, 200, 1, Map.of("a", ONE));
    var list = call(Kind.LIST, 0, Map.of(), 40, 50, 200, 2, Map.of("a", TWO));

    assertThat(faults(List.of(MADE, CHANGED), MAKE, CHANGE, during, list)).isEmpty();
  }

  @Test
  void a_write_that_no_event_shows_is_lost() {
    assertThat(faults(List.of(MADE), MAKE, CHANGE))
        .singleElement()
        .asString()
        .startsWith("the watch has not shown");
  }

  @Test
  void two_updates_of_the_same_version_cannot_both_succeed() {
    var again = new Event("MODIFIED", "a", 3, "u", ONE);
    var late = call(Kind.UPDATE, 1, ONE, 20, 40, 200, 3, Map.of("a", ONE));

    assertThat(faults(List.of(MADE, CHANGED, again), MAKE, CHANGE, late))
        .singleElement()
        .asString()
        .contains("does not follow from");
  }

  @Test
  void a_read_must_not_return_what_was_replaced_before_it_began() {
    var stale = call(Kind.GET, 0, Map.of(), 40, 50, 200, 1, Map.of("a", ONE));

    assertThat(faults(List.of(MADE, CHANGED), MAKE, CHANGE, stale))
        .singleElement()
        .asString()
        .contains("never so");
  }

  @Test
  void nothing_is_missing_that_was_there_all_the_time() {
    var missed = call(Kind.GET, 0, Map.of(), 12, 18, 404, 0, Map.of());

    assertThat(faults(List.of(MADE, CHANGED), MAKE, CHANGE, missed)).hasSize(1);
  }

  @Test
  void a_list_shows_one_moment() {
    var mixed = call(Kind.LIST, 0, Map.of(), 40, 50, 200, 2, Map.of("a", ONE));

    assertThat(faults(List.of(MADE, CHANGED), MAKE, CHANGE, mixed))
        .singleElement()
        .asString()
        .startsWith("no picture of one moment");
  }

  @Test
  void a_read_after_a_read_does_not_go_back() {
    var slow = call(Kind.UPDATE, 1, TWO, 20, 90, 200, 2, Map.of("a", TWO));
    var newer = call(Kind.GET, 0, Map.of(), 30, 40, 200, 2, Map.of("a", TWO));
    var older = call(Kind.GET, 0, Map.of(), 50, 60, 200, 1, Map.of("a", ONE));

    assertThat(faults(List.of(MADE, CHANGED), MAKE, slow, newer, older))
        .singleElement()
        .asString()
        .startsWith("a later read saw less");
  }

  private static List<String> faults(List<Event> events, Call... calls) {
    return new ObjectHistory(events, List.of(calls)).faults();
  }

  private static Call call(
      Kind kind,
      long condition,
      Map<String, String> given,
      long called,
      long answered,
      int status,
      long revision,
      Map<String, Map<String, String>> told) {
    return new Call(kind, "a", condition, given, called, answered, status, revision, "u", told);
  }
}
