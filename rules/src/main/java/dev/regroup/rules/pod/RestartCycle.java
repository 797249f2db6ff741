package dev.regroup.rules.pod;

import dev.regroup.rules.pod.ContainerState.Terminated;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The durable record of RAC-07, one per pod: it alone says whether a restart of all containers is
 * under way. Written by {@link Effect.Remember} and synced before any later effect; read back after
 * a crash.
 *
 * @param epoch rises with every cycle; containers carry the epoch they were created in (RAC-06)
 * @param cause of the newest cycle
 * @param begunAt when the newest cycle was decided
 * @param keep sidecars the newest cycle leaves alone (ACT-07)
 * @param grace of the victims; zero is RAC-13
 * @param requestId of the newest request served, empty for none (RAC-08)
 * @param singleRestart a request for one container that may still have to be carried out
 * @param attempt of the group this pod is at, empty until taken (JS-165)
 * @param attemptFloor the next attempt is never below this one, however old the orders are
 * @param carried by container name: what is known of containers whose records were removed
 */
public record RestartCycle(
    int epoch,
    State state,
    Cause cause,
    Instant begunAt,
    Set<String> keep,
    Duration grace,
    String requestId,
    SingleRestart singleRestart,
    OptionalInt attempt,
    int attemptFloor,
    Map<String, Carried> carried) {

  /** RAC-24, as far as it must survive a crash; "waiting" is starting with back-off due. */
  public enum State {
    IDLE,
    /** Condition {@code AllContainersRestarting} is True exactly in this state. */
    TERMINATING,
    /** All records are gone; not every regular container has been started again yet. */
    STARTING
  }

  /** Why the cycle runs. */
  public sealed interface Cause {
    /** No cycle was ever begun. */
    record None() implements Cause {}

    /** Regular sources before init sources, each in list order (CND-11). */
    record Exited(List<Source> sources) implements Cause {
      public Exited {
        sources = List.copyOf(sources);
        if (sources.isEmpty()) {
          throw new IllegalArgumentException("sources: must name at least one container");
        }
      }
    }

    /** The group moves on (JS-165a). */
    record GroupOrder(int from, int to) implements Cause {}

    record Requested(String id, String reason) implements Cause {
      public Requested {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(reason, "reason");
      }
    }
  }

  /** A container whose exit matched a rule; {@code rule} is the rule's place in its list. */
  public record Source(String container, int exitCode, Instant finishedAt, int rule) {
    public Source {
      Objects.requireNonNull(container, "container");
      Objects.requireNonNull(finishedAt, "finishedAt");
    }
  }

  /** Restart of one container on request: of this run of it and no other. */
  public record SingleRestart(String container, int run) {
    public static final SingleRestart NONE = new SingleRestart("", -1);

    public SingleRestart {
      Objects.requireNonNull(container, "container");
    }
  }

  /**
   * What outlives a removed record: counts and last state stay right without the API (RAC-02).
   *
   * @param shown restart count to publish while there is no record (RAC-32)
   * @param next number of the next run
   */
  public record Carried(int shown, int next, Terminated last) {
    public Carried {
      Objects.requireNonNull(last, "last");
    }
  }

  /** Of a pod that never restarted all its containers. */
  public static final RestartCycle FIRST =
      new RestartCycle(
          0,
          State.IDLE,
          new Cause.None(),
          Instant.EPOCH,
          Set.of(),
          Duration.ZERO,
          "",
          SingleRestart.NONE,
          OptionalInt.empty(),
          0,
          Map.of());

  public RestartCycle {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(cause, "cause");
    Objects.requireNonNull(begunAt, "begunAt");
    keep = Set.copyOf(keep);
    Objects.requireNonNull(grace, "grace");
    Objects.requireNonNull(requestId, "requestId");
    Objects.requireNonNull(singleRestart, "singleRestart");
    Objects.requireNonNull(attempt, "attempt");
    carried = Map.copyOf(carried);
  }

  public boolean terminating() {
    return state == State.TERMINATING;
  }

  /** Phase one begins (RAC-10). A request that is due is served by this cycle whatever began it. */
  public RestartCycle begun(
      Cause cause,
      Instant now,
      Set<String> keep,
      Duration grace,
      String requestId,
      int attemptFloor,
      Map<String, Carried> carried) {
    return new RestartCycle(
        epoch,
        State.TERMINATING,
        cause,
        now,
        keep,
        grace,
        requestId,
        SingleRestart.NONE,
        attempt,
        attemptFloor,
        carried);
  }

  /** Phase two begins: a new epoch, and the group's attempt is to be taken anew (RAC-20). */
  public RestartCycle ended(Map<String, Carried> carried) {
    return new RestartCycle(
        epoch + 1,
        State.STARTING,
        cause,
        begunAt,
        keep,
        grace,
        requestId,
        SingleRestart.NONE,
        OptionalInt.empty(),
        attemptFloor,
        carried);
  }

  /** Every regular container has been started again. */
  public RestartCycle settled() {
    return in(State.IDLE);
  }

  /** A cycle whose record was lost, but the API says one was under way. */
  public RestartCycle interrupted() {
    return in(State.TERMINATING);
  }

  private RestartCycle in(State state) {
    return new RestartCycle(
        epoch,
        state,
        cause,
        begunAt,
        keep,
        grace,
        requestId,
        singleRestart,
        attempt,
        attemptFloor,
        carried);
  }

  public RestartCycle atEpoch(int epoch) {
    return new RestartCycle(
        epoch,
        state,
        cause,
        begunAt,
        keep,
        grace,
        requestId,
        singleRestart,
        attempt,
        attemptFloor,
        carried);
  }

  public RestartCycle withAttempt(int attempt) {
    return new RestartCycle(
        epoch,
        state,
        cause,
        begunAt,
        keep,
        grace,
        requestId,
        singleRestart,
        OptionalInt.of(attempt),
        attemptFloor,
        carried);
  }

  /** A new sandbox: its records are carried over, the attempt is to be taken anew (JS-165). */
  public RestartCycle inNewSandbox(int attemptFloor, Map<String, Carried> carried) {
    return new RestartCycle(
        epoch,
        state,
        cause,
        begunAt,
        keep,
        grace,
        requestId,
        singleRestart,
        OptionalInt.empty(),
        attemptFloor,
        carried);
  }

  /** A request was served, or refused for good; for one container it names the run to end. */
  public RestartCycle withRequest(String requestId, SingleRestart singleRestart) {
    return new RestartCycle(
        epoch,
        state,
        cause,
        begunAt,
        keep,
        grace,
        requestId,
        singleRestart,
        attempt,
        attemptFloor,
        carried);
  }
}
