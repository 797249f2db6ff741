package dev.regroup.cli.chaos;

import dev.regroup.cli.screen.CliFailure;
import java.time.Duration;

/**
 * What one process can do to the others of its container, as a command for {@code sh}, and what its
 * exit code tells. The kernel protects PID 1 of a namespace from those inside: SIGKILL and SIGSTOP
 * never reach it, other signals only if it has a handler for them. A container whose PID 1 ends
 * takes the command along (137).
 */
final class InsideHarm {

  private static final int NOBODY = 90; // there is no process the signal could reach
  private static final int LIVES_ON = 91; // all others are gone, and PID 1 did not follow
  private static final int ALONE = 92; // the memory was filled, and PID 1 is still there
  private static final int NOT_EXECUTABLE = 126;
  private static final int NO_COMMAND = 127;
  private static final int WENT_ALONG = 137;

  private InsideHarm() {}

  /**
   * @param limit of the container's memory in bytes; only for those who fill it
   */
  static String script(Deed deed, long limit) {
    return switch (deed.harm()) {
      case KILL -> "kill -KILL -1 2>/dev/null || exit 90; sleep 1; exit 91";
      case TERMINATE ->
          """
          kill -TERM -1 2>/dev/null; others=$?
          while read -r name mask; do
            [ "$name" = SigCgt: ] && caught=$((0x$mask >> 14 & 1))
          done </proc/1/status
          [ $others = 0 ] || [ "${caught:-1}" = 1 ] || exit 90
          kill -TERM 1
          """;
      case STOP -> stopping(deed.lasting());
      case FILL -> // no more than twice its limit, should that not hold for the command
          "head -c %d /dev/zero | tail >/dev/null; [ $? = 127 ] && exit 127; exit 92"
              .formatted(2 * limit);
      case CUT, DELETE, EVICT -> throw new IllegalStateException("not from inside");
    };
  }

  private static String stopping(Duration time) {
    String stop = "kill -STOP -1 2>/dev/null || exit 90";
    return time.isZero() ? stop : stop + "; sleep " + time.toSeconds() + "; kill -CONT -1";
  }

  /** What was done, in words; a failure says why it was not, and what would do. */
  static String outcome(Deed deed, int code) throws CliFailure {
    return switch (code) {
      case 0, WENT_ALONG -> "done from inside the container";
      case LIVES_ON ->
          throw new CliFailure(
              "its other processes were killed, but PID 1 lives on, which nobody inside its"
                  + " container can hurt (use delete or evict)");
      case NOBODY ->
          throw new CliFailure(
              deed.harm() == Harm.TERMINATE
                  ? "its only process is PID 1 and does not catch SIGTERM, so the kernel ignores"
                      + " the signal (use delete or evict)"
                  : "its only process is PID 1, which nobody inside its container can hurt (use"
                      + " delete or evict)");
      case ALONE ->
          throw new CliFailure(
              "the worker lives on: on this node the kernel ends single processes, or the limit"
                  + " does not hold for commands (needs cgroup v2 and Kubernetes 1.28; use"
                  + " delete)");
      case NOT_EXECUTABLE, NO_COMMAND ->
          throw new CliFailure("the container lacks head, tail or sleep (use delete or evict)");
      default ->
          throw new CliFailure(
              "the command in the container ended with code %d (use delete or evict)"
                  .formatted(code));
    };
  }
}
