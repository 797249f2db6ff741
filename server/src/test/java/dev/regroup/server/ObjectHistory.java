package dev.regroup.server;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Judges what clients were told about objects they shared. The events of a watch are the order of
 * all writes. The history holds when
 *
 * <ol>
 *   <li>each event follows from the one before it and the call that made it: nothing lost, nothing
 *       twice, conditions kept;
 *   <li>each write that was acknowledged is one event, and each event such a write;
 *   <li>no call that was answered before another began comes after it in that order; and
 *   <li>what was read or refused was so at some moment between the call and its answer.
 * </ol>
 */
final class ObjectHistory {

  enum Kind {
    CREATE,
    UPDATE,
    MERGE,
    DELETE,
    GET,
    LIST
  }

  /** One change, as the watch has shown it. */
  record Event(String type, String name, long revision, String uid, Map<String, String> data) {}

  /**
   * One call and its answer.
   *
   * @param condition the version it insists on; 0 for none
   * @param given what it writes
   * @param revision of the answer; 0 when it tells none
   * @param told by name, what the answer says the objects hold
   */
  record Call(
      Kind kind,
      String name,
      long condition,
      Map<String, String> given,
      long called,
      long answered,
      int status,
      long revision,
      String uid,
      Map<String, Map<String, String>> told) {

    boolean wrote() {
      return status < 300 && kind != Kind.GET && kind != Kind.LIST;
    }
  }

  /** An object from one event to the next; without data when it is not there. */
  private record State(long revision, boolean there, Map<String, String> data) {}

  private static final State NEVER = new State(0, false, Map.of());

  private final List<Event> events;
  private final List<Call> calls;
  private final Map<String, NavigableMap<Long, State>> states = new TreeMap<>();
  private final List<String> faults = new ArrayList<>();

  ObjectHistory(List<Event> events, List<Call> calls) {
    this.events = List.copyOf(events);
    this.calls = List.copyOf(calls);
  }

  /** What does not hold; empty when all does. */
  List<String> faults() {
    var writes = writesByRevision();
    replay(writes);
    var order = new TreeMap<Long, Call>(writes);
    checkTime(order);
    calls.stream().filter(call -> !call.wrote()).forEach(call -> checkMoment(call, order));
    checkReadsInTime();
    return List.copyOf(faults);
  }

  /** A deletion is told without its revision; the identity of what was deleted leads to it. */
  private Map<Long, Call> writesByRevision() {
    var deletions =
        events.stream()
            .filter(event -> event.type().equals("DELETED"))
            .collect(Collectors.toMap(Event::uid, Event::revision));
    var writes = new TreeMap<Long, Call>();
    for (var call : calls) {
      if (call.wrote()) {
        long revision =
            call.kind() == Kind.DELETE ? deletions.getOrDefault(call.uid(), -1L) : call.revision();
        var other = writes.put(revision, call);
        if (other != null) {
          faults.add("two writes with revision " + revision + ": " + other + ", " + call);
        }
      }
    }
    return writes;
  }

  private void replay(Map<Long, Call> writes) {
    long last = 0;
    for (var event : events) {
      var before = before(event.name(), event.revision());
      var call = writes.get(event.revision());
      if (event.revision() <= last) {
        faults.add("revision " + event.revision() + " after " + last);
      }
      last = event.revision();
      if (call == null || !call.name().equals(event.name())) {
        faults.add("nobody wrote " + event);
      } else if (!follows(before, call, event)) {
        faults.add(event + " does not follow from " + before + " and " + call);
      }
      states
          .computeIfAbsent(event.name(), _ -> new TreeMap<>())
          .put(
              event.revision(),
              new State(event.revision(), !event.type().equals("DELETED"), event.data()));
    }
    var shown = events.stream().map(Event::revision).collect(Collectors.toSet());
    writes.forEach((revision, call) -> {
      if (!shown.contains(revision)) {
        faults.add("the watch has not shown " + call);
      }
    });
  }

  private static boolean follows(State before, Call call, Event event) {
    boolean condition = call.condition() == 0 || call.condition() == before.revision();
    boolean there = before.there() == (call.kind() != Kind.CREATE);
    var merged = new TreeMap<>(before.data());
    merged.putAll(call.given());
    return condition
        && there
        && switch (call.kind()) {
          case CREATE -> event.type().equals("ADDED") && event.data().equals(call.given());
          case UPDATE -> event.type().equals("MODIFIED") && event.data().equals(call.given());
          case MERGE -> event.type().equals("MODIFIED") && event.data().equals(merged);
          case DELETE -> event.type().equals("DELETED") && event.data().equals(before.data());
          case GET, LIST -> false;
        }
        && (call.kind() == Kind.DELETE || call.told().get(call.name()).equals(event.data()));
  }

  /** A write that was answered before another began has the smaller revision. */
  private void checkTime(NavigableMap<Long, Call> order) {
    long latestCall = Long.MIN_VALUE;
    for (var write : order.values()) {
      if (write.answered() < latestCall) {
        faults.add("ended before a write of a smaller revision began: " + write);
      }
      latestCall = Math.max(latestCall, write.called());
    }
  }

  /** The answer must fit one of the states the order allows between the call and the answer. */
  private void checkMoment(Call call, NavigableMap<Long, Call> order) {
    long from = 0; // whatever was answered before the call must be seen
    long to = 0; // whatever began after the answer cannot be
    for (var write : order.entrySet()) {
      if (write.getValue().answered() < call.called()) {
        from = Math.max(from, write.getKey());
      }
      if (write.getValue().called() < call.answered()) {
        to = Math.max(to, write.getKey());
      }
    }
    if (call.kind() == Kind.LIST) {
      checkList(call, from, to);
      return;
    }
    var possible = new ArrayList<State>();
    possible.add(at(call.name(), from));
    possible.addAll(
        states
            .getOrDefault(call.name(), new TreeMap<>())
            .subMap(from, false, Math.max(from, to), true)
            .values());
    if (possible.stream().noneMatch(state -> fits(call, state))) {
      faults.add("between " + from + " and " + to + " never so: " + call + ", but " + possible);
    }
  }

  private void checkList(Call call, long from, long to) {
    var then = new TreeMap<String, Map<String, String>>();
    for (var name : states.keySet()) {
      var state = at(name, call.revision());
      if (state.there()) {
        then.put(name, state.data());
      }
    }
    if (call.revision() < from || !call.told().equals(then)) {
      faults.add("no picture of one moment between " + from + " and " + to + ": " + call);
    }
  }

  private static boolean fits(Call call, State state) {
    return switch (call.status()) {
      case 200 ->
          state.there()
              && state.revision() == call.revision()
              && state.data().equals(call.told().get(call.name()));
      case 404 -> !state.there();
      case 409 ->
          call.kind() == Kind.CREATE
              ? state.there()
              : state.there() && state.revision() != call.condition();
      default -> false;
    };
  }

  /** Who reads after a read was answered sees the same or something newer. */
  private void checkReadsInTime() {
    var reads =
        calls.stream()
            .filter(call -> call.kind() == Kind.LIST && call.status() == 200)
            .sorted(Comparator.comparingLong(Call::revision))
            .toList();
    inTime(reads);
    for (var name : states.keySet()) {
      inTime(
          calls.stream()
              .filter(call -> call.kind() == Kind.GET && call.name().equals(name))
              .filter(call -> call.status() == 200)
              .sorted(Comparator.comparingLong(Call::revision))
              .toList());
    }
  }

  private void inTime(List<Call> byRevision) {
    long latestCall = Long.MIN_VALUE; // of those with a smaller revision
    long sameRevision = 0;
    long pending = Long.MIN_VALUE;
    for (var read : byRevision) {
      if (read.revision() != sameRevision) {
        latestCall = Math.max(latestCall, pending);
        sameRevision = read.revision();
      }
      if (read.answered() < latestCall) {
        faults.add("a later read saw less than " + read);
      }
      pending = Math.max(pending, read.called());
    }
  }

  private State before(String name, long revision) {
    return at(name, revision - 1);
  }

  private State at(String name, long revision) {
    var entry = states.getOrDefault(name, new TreeMap<>()).floorEntry(revision);
    return entry == null ? NEVER : entry.getValue();
  }
}
