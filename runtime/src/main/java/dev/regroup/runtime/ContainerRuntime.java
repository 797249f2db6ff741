package dev.regroup.runtime;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs containers. The records are the truth: they are on disk before anything starts, are complete
 * after a {@code kill -9} of this program at any line, and a new runtime over the same directory
 * adopts every process that still runs.
 *
 * <p>All methods may be called from any thread, virtual ones included, for different pods and for
 * different containers of one pod side by side. Calls for one key must not overlap, except {@code
 * stop}. Methods that wait say so.
 */
public interface ContainerRuntime extends AutoCloseable {

  /** Every sandbox there is a record of, dead ones included. */
  List<SandboxRecord> sandboxes();

  /** The sandbox of the pod, if there is a record of one. */
  Optional<SandboxRecord> sandbox(PodUid pod);

  /** Every run of the pod there is a record of, by name and then run. */
  List<RuntimeRecord> containers(PodUid pod);

  /** Pods of which anything is left: a sandbox, a record, a log. */
  List<PodUid> pods();

  /**
   * Makes the pod's sandbox and connects it; waits until it is ready. A live sandbox is kept and
   * returned, a dead one is replaced (SEQ-25).
   */
  SandboxRecord startSandbox(SandboxSpec spec) throws RuntimeFailure, InterruptedException;

  /** Ends the sandbox with its memory volumes; containers must have been stopped. Idempotent. */
  void stopSandbox(PodUid pod) throws RuntimeFailure, InterruptedException;

  /** Kills what still runs and forgets everything about the pod, logs included. Idempotent. */
  void removePod(PodUid pod) throws RuntimeFailure, InterruptedException;

  /**
   * Starts a run; waits until its command runs.
   *
   * @throws RuntimeFailure {@code ALREADY_EXISTS} if there is a record of this key; {@code
   *     START_ERROR} if the command could not be run, then the record is {@code EXITED} with code
   *     128 and the same message
   */
  RuntimeRecord start(ContainerConfig spec) throws RuntimeFailure, InterruptedException;

  /**
   * Keeps the labels of a stop whose signal comes later: as {@link #stop}, which finds them kept.
   */
  void announceStop(ContainerKey key, Map<String, String> labels)
      throws RuntimeFailure, InterruptedException;

  /**
   * Keeps the labels, sends the signal, waits up to the grace, kills, waits for the end. Returns
   * the record as it is then; one that does not run is returned unchanged. The labels of the first
   * stop are kept. If they cannot be, nothing is sent.
   */
  RuntimeRecord stop(ContainerKey key, StopOrder order) throws RuntimeFailure, InterruptedException;

  /** Sends a signal and does not wait. */
  void signal(ContainerKey key, Signal signal) throws RuntimeFailure, InterruptedException;

  /**
   * Forgets a run that is over; its log stays (RAC-16) unless there are several newer ones of this
   * container. Idempotent.
   */
  void remove(ContainerKey key) throws RuntimeFailure, InterruptedException;

  /** Starts a command inside a running container, under its limits. */
  ExecSession exec(ContainerKey key, ExecRequest request)
      throws RuntimeFailure, InterruptedException;

  /**
   * Joins the command of a running container: what it writes from now on, and, if its console says
   * so, what it reads. Closing lets it go on.
   */
  ExecSession attach(ContainerKey key, InputEnd end) throws RuntimeFailure, InterruptedException;

  /** What closing the standard input of an attached session means to the command. */
  enum InputEnd {
    /** Nothing: somebody else may attach and go on. */
    DETACHES,
    /** It reads the end, for good. */
    ENDS_INPUT
  }

  /**
   * Connects to a port that a program of the pod listens on, from inside its network: also one that
   * it has on its loopback only. The caller closes the connection.
   *
   * @throws RuntimeFailure {@code NOT_FOUND} if the pod has no network now, {@code SYSTEM} if
   *     nobody answers
   */
  SocketChannel connect(PodUid pod, int port) throws RuntimeFailure, InterruptedException;

  /**
   * Runs a command to its end or kills it after the timeout; keeps the first bytes it wrote. For
   * what is asked often and answers soon: where control groups are of version 1, the container's
   * limits do not hold for it.
   */
  ExecResult run(ContainerKey key, List<String> argv, Duration timeout, int outputLimit)
      throws RuntimeFailure, InterruptedException;

  /** The last bytes of the container's termination message file, at most so many (STS-16). */
  String terminationMessage(ContainerKey key, int limit) throws RuntimeFailure;

  /** Opens the log of a run, also of a removed one; of a long log the newest part is kept. */
  LogReader log(ContainerKey key, LogQuery query) throws RuntimeFailure;

  /**
   * Runs of this container a log is kept of, in order, the newest always among them; restart counts
   * grow from here (STS-17).
   */
  List<Integer> loggedRuns(PodUid pod, String container);

  /**
   * Calls back when a container or the sandbox of a pod ended. The call comes from the thread that
   * sees exits: it must only poke somebody and return.
   */
  void onChange(Consumer<PodUid> listener);

  /**
   * Calls back when running containers have written something, each at most every few milliseconds,
   * and once more when one has ended. The call comes from the thread that follows logs: it must
   * only note it and return.
   */
  void onOutput(Consumer<RunOutput> listener);

  /** Stops watching and releases everything. Containers and sandboxes keep running. */
  @Override
  void close();
}
