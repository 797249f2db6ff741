package dev.regroup.rules.group;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The part of a JobSet's status that belongs to in-place restarts (JS-28f to JS-28m).
 *
 * @param counted in-place restarts that count towards the budget; absent on an object this
 *     controller has not yet looked at (JS-28k)
 * @param uncounted voluntary restarts (JS-28j)
 * @param restarts oldest first, at most ten
 * @param lastRequest the newest request that was served or refused, empty for none
 */
public record GroupStatus(
    Barrier barrier,
    OptionalInt counted,
    int uncounted,
    List<InPlaceRestart> restarts,
    Optional<ServedRequest> lastRequest) {

  private static final int KEPT_RESTARTS = 10;

  public record ServedRequest(String requestId, Instant time) {}

  public static final GroupStatus UNSET =
      new GroupStatus(Barrier.UNSET, OptionalInt.empty(), 0, List.of(), Optional.empty());

  public GroupStatus {
    restarts = List.copyOf(restarts);
  }

  /** An object without the counter gets it once (JS-89a). */
  GroupStatus adopted(int recreations) {
    if (counted.isPresent()) {
      return this;
    }
    int attempts = Math.max(barrier.current().orElse(0), barrier.previous().orElse(-1) + 1);
    int inPlace = Math.max(0, attempts - recreations - uncounted);
    return new GroupStatus(barrier, OptionalInt.of(inPlace), uncounted, restarts, lastRequest);
  }

  /**
   * The order to restart, with the count and the line of history that go with it, in one update.
   */
  GroupStatus raised(Sign cause, boolean counts, Instant now) {
    return started(barrier.raised(), cause, counts, now);
  }

  /**
   * Everybody had come back before anybody looked: nobody needs the order, but it counts all the
   * same.
   */
  GroupStatus unnoticed(Sign cause, Instant now) {
    return started(barrier, cause, true, now);
  }

  private GroupStatus started(Barrier next, Sign cause, boolean counts, Instant now) {
    var more = new ArrayList<>(restarts);
    more.add(new InPlaceRestart(barrier.next(), now, null, cause, counts));
    return new GroupStatus(
        next,
        OptionalInt.of(counted.orElse(0) + (counts ? 1 : 0)),
        uncounted + (counts ? 0 : 1),
        newest(more),
        lastRequest);
  }

  /** The Jobs are made anew, which has its own counter: the group only gathers again. */
  public GroupStatus recreated() {
    if (barrier.gathering()) {
      return this;
    }
    return new GroupStatus(barrier.raised(), counted, uncounted, restarts, lastRequest);
  }

  /** The restart under way cannot end: its line of history goes, that it was counted stays. */
  GroupStatus abandoned() {
    var rest = underWay().isEmpty() ? restarts : restarts.subList(0, restarts.size() - 1);
    return new GroupStatus(barrier, counted, uncounted, rest, lastRequest);
  }

  /** One failure was counted here and then again as a failure of its Job (AS-57): once is right. */
  public GroupStatus countedElsewhere() {
    int left = Math.max(0, counted.orElse(0) - 1);
    return new GroupStatus(barrier, OptionalInt.of(left), uncounted, restarts, lastRequest);
  }

  /** Somebody else than the one heard of first has caused the newest restart. */
  GroupStatus because(Sign known) {
    var all = new ArrayList<>(restarts);
    all.set(all.size() - 1, all.getLast().because(known));
    return withRestarts(all);
  }

  GroupStatus lifted(int attempt, Instant now) {
    var all = new ArrayList<>(restarts);
    if (!all.isEmpty() && all.getLast().liftedAt() == null) {
      all.set(all.size() - 1, all.getLast().lifted(now));
    }
    return new GroupStatus(barrier.lifted(attempt), counted, uncounted, all, lastRequest);
  }

  /** The same restarts, of which more is known. */
  public GroupStatus withRestarts(List<InPlaceRestart> told) {
    return new GroupStatus(barrier, counted, uncounted, told, lastRequest);
  }

  GroupStatus answered(GroupRestartRequest request, Instant now) {
    return new GroupStatus(
        barrier,
        counted,
        uncounted,
        restarts,
        Optional.of(new ServedRequest(request.requestId(), now)));
  }

  /** The restart that is under way, if one is and it has a line of its own. */
  public Optional<InPlaceRestart> underWay() {
    return barrier.restarting() && !restarts.isEmpty() && restarts.getLast().liftedAt() == null
        ? Optional.of(restarts.getLast())
        : Optional.empty();
  }

  private static List<InPlaceRestart> newest(List<InPlaceRestart> all) {
    return all.subList(Math.max(0, all.size() - KEPT_RESTARTS), all.size());
  }
}
