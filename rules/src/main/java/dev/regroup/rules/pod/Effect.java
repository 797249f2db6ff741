package dev.regroup.rules.pod;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * One thing to do. Effects of a plan are performed in order, and each is idempotent: performed
 * twice, or against a state that has moved on, it does no harm. None of them waits for a container
 * to end, for a hook or for a probe: they begin it, and the next observation shows how far it is.
 *
 * <p>A failed {@link Start} is noted (seen again as {@link Observed.StartFailure}) and the plan
 * goes on (SEQ-03, SEQ-06); a failed {@link Emit} is forgotten; any other failure ends the plan and
 * the pod is looked at again.
 */
public sealed interface Effect {

  /** Writes the cycle record; durable before any later effect (RAC-07). */
  record Remember(RestartCycle cycle) implements Effect {
    public Remember {
      Objects.requireNonNull(cycle, "cycle");
    }
  }

  /** Makes the sandbox; the node mounts volumes before it if that has not been done (SEQ-01). */
  record CreateSandbox() implements Effect {}

  /**
   * Creates and starts one run of a container, then begins its {@code postStart} hook. If a run
   * with this number exists already, nothing is started twice.
   *
   * @param run becomes the record's {@link SeenContainer#run()}
   * @param epoch becomes the record's {@link SeenContainer#epoch()}
   */
  record Start(String container, int run, int epoch) implements Effect {
    public Start {
      Objects.requireNonNull(container, "container");
    }
  }

  /**
   * Begins a stop: stores the reason and the time with the record, then begins the {@code preStop}
   * hook if asked. The hook is abandoned at {@code until}. The signal is another effect, because a
   * sidecar waits for its turn (TERM-05).
   */
  record BeginStop(ContainerId id, String container, StopReason why, PreStop preStop, Instant until)
      implements Effect {

    /** Whether the hook runs (HOOK-02). */
    public enum PreStop {
      RUN,
      SKIP
    }

    public BeginStop {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(container, "container");
      Objects.requireNonNull(why, "why");
      Objects.requireNonNull(preStop, "preStop");
      Objects.requireNonNull(until, "until");
    }
  }

  /**
   * Stores the stop reason with the record if there is none yet, sends the stop signal and kills
   * after {@code timeout}. Sent again with a shorter timeout, the shorter one holds. For {@link
   * StopReason#RESTART_ALL} a process that cannot receive the signal is killed at once (RAC-55).
   */
  record Signal(ContainerId id, String container, StopReason why, Duration timeout)
      implements Effect {
    public Signal {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(container, "container");
      Objects.requireNonNull(why, "why");
      Objects.requireNonNull(timeout, "timeout");
    }
  }

  /** Removes records side by side, killing what still runs; logs are kept (RAC-16). */
  record Remove(List<ContainerId> ids) implements Effect {
    public Remove {
      ids = List.copyOf(ids);
    }
  }

  /** Ends the sandbox in good order; its containers are down. Afterwards it is seen as NONE. */
  record StopSandbox(String sandbox) implements Effect {
    public StopSandbox {
      Objects.requireNonNull(sandbox, "sandbox");
    }
  }

  /** Kills every process of the sandbox and removes it by force (TERM-11). */
  record KillSandbox(String sandbox) implements Effect {
    public KillSandbox {
      Objects.requireNonNull(sandbox, "sandbox");
    }
  }

  /** Records an event; never fails the plan. */
  record Emit(PodEvent event) implements Effect {
    public Emit {
      Objects.requireNonNull(event, "event");
    }
  }
}
