package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.CLOSE_RANGE;
import static dev.regroup.runtime.linux.Syscall.DUP3;
import static dev.regroup.runtime.linux.Syscall.EXIT_GROUP;
import static dev.regroup.runtime.linux.Syscall.SENDTO;
import static dev.regroup.runtime.linux.Syscall.SETNS;
import static dev.regroup.runtime.linux.Syscall.SETSID;
import static dev.regroup.runtime.linux.Syscall.WAIT4;
import static dev.regroup.runtime.linux.Syscall.WRITE;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWCGROUP;
import static dev.regroup.runtime.tape.Constants.LAST_FD;
import static dev.regroup.runtime.tape.Constants.MSG_NOSIGNAL;

import dev.regroup.runtime.Console;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.process.TapeRunner;
import dev.regroup.runtime.seccomp.Filter;
import dev.regroup.runtime.tape.Tape;
import dev.regroup.runtime.tape.TapeWriter;
import java.util.Optional;

/**
 * A command inside a running container: into its namespaces, a child that becomes the command, a
 * parent that waits. The parent is a tape of its own on purpose: a process in the container's
 * process namespace that nobody collects would keep the container from ending, for ever, if this
 * program died meanwhile.
 */
public final class ExecTape {

  /** Descriptors given to it, in this order from {@link TapeRunner#FIRST_FREE_FD} on. */
  private static final int CONTAINER_FD = 5;

  private static final int STDIN_FD = 6;
  private static final int STDOUT_FD = 7;
  private static final int STDERR_FD = 8;
  private static final int RESULT_FD = 9;

  private static final int CHILD_BYTES = 8;
  private static final int STATUS_BYTES = 8;
  private static final String FAIL = "fail";
  private static final String CHILD = "child";

  private ExecTape() {}

  public static Tape of(
      IsolationLevel level,
      ContainerConfig container,
      ContainerPlan.Membership membership,
      Optional<Filter> filter,
      ExecRequest request) {
    var tape = new TapeWriter("exec");
    var child = tape.words("child", 1);
    var status = tape.words("status", 1);
    tape.attempt(CLOSE_RANGE, n(RESULT_FD + 1), LAST_FD, n(0));
    tape.must(FAIL, DUP3, n(STDIN_FD), n(0), n(0));
    tape.must(FAIL, DUP3, n(STDOUT_FD), n(1), n(0));
    tape.must(FAIL, DUP3, n(STDERR_FD), n(2), n(0));
    tape.must(FAIL, SETSID);
    var groups = new GroupTape(membership, tape, FAIL, RESULT_FD + 1);
    groups.open();
    tape.must(FAIL, SETNS, n(CONTAINER_FD), level.ofContainer());
    groups.split(child, CHILD);

    tape.attempt(SENDTO, n(TapeRunner.CONTROL_FD), child, n(CHILD_BYTES), MSG_NOSIGNAL, NULL, n(0));
    tape.attempt(CLOSE_RANGE, n(0), n(STDERR_FD), n(0)); // only the result's pipe stays
    tape.attempt(CLOSE_RANGE, n(RESULT_FD + 1), LAST_FD, n(0));
    var waited = tape.words("waited", 1);
    tape.label("wait");
    tape.into(waited, WAIT4, n(-1), status, n(0), NULL);
    tape.branch(waited, -Errno.EINTR, null, "wait", null);
    tape.attempt(WRITE, n(RESULT_FD), status, n(STATUS_BYTES));
    tape.attempt(EXIT_GROUP, n(0));

    groups.join(CHILD, FAIL, groups.nextFd());
    tape.attempt(SETNS, n(CONTAINER_FD), CLONE_NEWCGROUP); // behind joining, as the container did
    tape.must(FAIL, SETSID);
    var spec = container;
    if (request.console() == Console.TERMINAL) {
      ConsoleTape.control(tape, FAIL, container.user());
      spec = ConsoleTape.withTerm(container);
    }
    TapeParts.become(tape, FAIL, spec, request.argv(), filter, TapeParts.NO_FILE);
    TapeParts.failing(tape, FAIL, TapeParts.NO_FILE, TapeParts.CHILD_FAILED);
    return tape.tape();
  }
}
