package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.CLONE;
import static dev.regroup.runtime.linux.Syscall.CLONE3;
import static dev.regroup.runtime.linux.Syscall.OPENAT;
import static dev.regroup.runtime.linux.Syscall.WRITE;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.CLONE_PIDFD;
import static dev.regroup.runtime.tape.Constants.O_PATH;
import static dev.regroup.runtime.tape.Constants.O_WRONLY;
import static dev.regroup.runtime.tape.Constants.SIGCHLD;

import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * The passages of a tape that make the child and put it into its control groups. The groups are
 * opened first, while their paths can be seen. With version 2 the child is born in its group; where
 * the kernel, or a filter around this program, refuses that, it is born like others and moves.
 */
final class GroupTape {

  private static final int CLONE_ARGS_BYTES = 88;
  private static final int PIDFD_AT = 8;
  private static final long CLONE_INTO_CGROUP = 0x2_0000_0000L;
  private static final String PARENT = "parent";
  private static final String MOVE = "move";

  private final ContainerPlan.Membership membership;
  private final TapeWriter tape;
  private final String orElse;
  private final int firstFd;

  /**
   * Begins.
   *
   * @param firstFd the lowest free descriptor
   */
  GroupTape(ContainerPlan.Membership membership, TapeWriter tape, String orElse, int firstFd) {
    this.membership = membership;
    this.tape = tape;
    this.orElse = orElse;
    this.firstFd = firstFd;
  }

  /** Opens what the child needs. */
  void open() {
    membership
        .birth()
        .ifPresent(birth ->
            tape.must(orElse, OPENAT, AT_FDCWD, text(birth.group().toString()), O_PATH, n(0)));
    for (Path file : membership.procs()) {
      tape.must(orElse, OPENAT, AT_FDCWD, text(file.toString()), O_WRONLY, n(0));
    }
  }

  /** The descriptor that is the lowest free one when they are open. */
  int nextFd() {
    return procsFd() + membership.procs().size();
  }

  private int procsFd() {
    return firstFd + (membership.birth().isPresent() ? 1 : 0);
  }

  /** Makes the child, which goes on at its label; the parent goes on right behind. */
  void split(Arg.Word pid, String child) {
    split(pid, child, intoGroup(CLONE_INTO_CGROUP), SIGCHLD, n(0));
  }

  /**
   * The same, and the parent gets a descriptor of the child, the lowest free one.
   *
   * @param number where the kernel writes the descriptor's number
   */
  void splitHolding(Arg.Word pid, String child, Arg.Word number) {
    var plain = intoGroup(CLONE_INTO_CGROUP | CLONE_PIDFD.value());
    var intoGroup =
        new Arg.Pointing(
            plain.value(), PIDFD_AT, number, plain.shown().replace("{", "{CLONE_PIDFD|"));
    split(pid, child, intoGroup, SIGCHLD.or(CLONE_PIDFD), number);
  }

  private void split(Arg.Word pid, String child, Arg intoGroup, Arg.Value flags, Arg number) {
    if (membership.birth().isPresent()) {
      tape.into(pid, CLONE3, intoGroup, n(CLONE_ARGS_BYTES));
      tape.branch(pid, 0, null, child, PARENT);
      tape.must(pid, orElse, CLONE, flags, n(0), number, n(0), n(0));
      tape.branch(pid, 0, null, MOVE, null);
      tape.label(PARENT);
    } else {
      tape.must(pid, orElse, CLONE, flags, n(0), number, n(0), n(0));
      tape.branch(pid, 0, null, child, null);
    }
  }

  /** The beginning of the child's part; nextFd = the lowest free descriptor. */
  void join(String child, String childOrElse, int nextFd) {
    if (membership.birth().isPresent()) {
      tape.label(MOVE);
      tape.must(childOrElse, OPENAT, n(firstFd), text("cgroup.procs"), O_WRONLY, n(0));
      tape.must(childOrElse, WRITE, n(nextFd), text("0"), n(1));
    }
    tape.label(child);
    for (int i = 0; i < membership.procs().size(); i++) {
      tape.must(childOrElse, WRITE, n(procsFd() + i), text("0"), n(1));
    }
  }

  /** struct clone_args: flags first, the signal as fifth, the group as eleventh word. */
  private Arg.Bytes intoGroup(long flags) {
    var words = ByteBuffer.allocate(CLONE_ARGS_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    words.putLong(0, flags).putLong(32, SIGCHLD.value()).putLong(80, firstFd);
    return new Arg.Bytes(
        words.array(), "{CLONE_INTO_CGROUP, SIGCHLD, cgroup=%d}".formatted(firstFd));
  }
}
