package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.CLOSE;
import static dev.regroup.runtime.linux.Syscall.DUP;
import static dev.regroup.runtime.linux.Syscall.DUP3;
import static dev.regroup.runtime.linux.Syscall.FCNTL;
import static dev.regroup.runtime.linux.Syscall.OPENAT;
import static dev.regroup.runtime.linux.Syscall.PIPE2;
import static dev.regroup.runtime.linux.Syscall.PPOLL;
import static dev.regroup.runtime.linux.Syscall.READ;
import static dev.regroup.runtime.linux.Syscall.SPLICE;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.F_SETFL;
import static dev.regroup.runtime.tape.Constants.O_CREAT;
import static dev.regroup.runtime.tape.Constants.O_NONBLOCK;
import static dev.regroup.runtime.tape.Constants.O_WRONLY;
import static dev.regroup.runtime.tape.Constants.SPLICE_F_MOVE;
import static dev.regroup.runtime.tape.Constants.SPLICE_F_NONBLOCK;

import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.file.Path;

/**
 * The passages of a tape that carry a container's output to its log. The container has a pipe, as
 * with Kubernetes' own runtimes: it can open it again and write, but neither shorten nor change
 * what it has written. Its parent moves what comes to the file, without copying it through memory
 * of its own, and stops when the container's command has ended, whoever else holds the pipe.
 *
 * <p>What the disk has no room for is lost; the container goes on.
 */
final class LogTape {

  private static final String COPY = "copy";
  private static final String MOVE = "copy-some";
  private static final String LAST = "copy-last";

  /** The longest a pipe can be: 1 MiB. */
  private static final int WHOLE_PIPE = 1 << 20;

  /** A terminal gives less at once; and this much always has room: 4 KiB. */
  private static final int PART_OF_PIPE = 4 << 10;

  private static final int DROPPED_WORDS = 512; // 4 KiB

  /** Upper half of a struct pollfd that asks for POLLIN. */
  private static final long WAIT_FOR_INPUT = 1L << 32;

  private final TapeWriter tape;
  private final String fail;
  private final int firstFd;

  /**
   * Begins.
   *
   * @param firstFd the lowest free descriptor but 1 and 2
   */
  LogTape(TapeWriter tape, String fail, int firstFd) {
    this.tape = tape;
    this.fail = fail;
    this.firstFd = firstFd;
  }

  /** Where output comes out. */
  int firstFd() {
    return firstFd;
  }

  private int logFd() {
    return firstFd + 1;
  }

  /** The descriptor that is the lowest free one when all is open. */
  int nextFd() {
    return firstFd + 2;
  }

  /** Opens the log and makes the pipe; 1 and 2 are its way in. */
  void open(Path log) {
    var ends = tape.words("pipe", 1);
    tape.must(fail, PIPE2, ends, n(0)); // 1 out, 2 in
    tape.must(fail, DUP, n(1));
    tape.must(fail, DUP3, n(2), n(1), n(0));
    tape.must(fail, FCNTL, n(firstFd), F_SETFL, O_NONBLOCK); // of this end only
    String file = log.toString();
    tape.must(fail, OPENAT, AT_FDCWD, text(file), O_WRONLY.or(O_CREAT), octal(0600));
  }

  /** Copies until the child has ended or nobody has the pipe any more, then goes on there. */
  void copyUntilEnd(int childFd, String then) {
    long child = childFd | WAIT_FOR_INPUT;
    var poll = tape.preset("poll", firstFd | WAIT_FOR_INPUT, child);
    var moved = tape.words("moved", 1);
    tape.label(COPY);
    tape.attempt(PPOLL, poll, n(2), NULL, NULL, n(0));
    tape.branch(TapeWriter.at(poll, 1), child, null, MOVE, LAST); // greater: there is an answer
    tape.label(MOVE);
    tape.into(moved, SPLICE, n(firstFd), NULL, n(logFd()), NULL, n(WHOLE_PIPE), flags());
    tape.branch(moved, 0, null, then, COPY);
    tape.branch(moved, -Errno.EAGAIN, null, COPY, null);
    drop();
    tape.go(COPY);
    tape.label(LAST);
    tape.attempt(SPLICE, n(firstFd), NULL, n(logFd()), NULL, n(WHOLE_PIPE), flags());
  }

  /**
   * The same while somebody may say at a third descriptor that the input is over; then what is held
   * of it is closed.
   */
  void copyAndHold(int childFd, String then) {
    long child = childFd | WAIT_FOR_INPUT;
    long end = ConsoleTape.SECOND_FD | WAIT_FOR_INPUT;
    var poll = tape.preset("poll-input", firstFd | WAIT_FOR_INPUT, child, end);
    var moved = tape.words("moved", 1);
    tape.label("hold");
    tape.attempt(PPOLL, poll, n(3), NULL, NULL, n(0));
    tape.branch(TapeWriter.at(poll, 2), end, null, null, "hold-no-more");
    tape.branch(TapeWriter.at(poll, 1), child, null, null, LAST); // greater: there is an answer
    tape.into(moved, SPLICE, n(firstFd), NULL, n(logFd()), NULL, n(WHOLE_PIPE), flags());
    tape.branch(moved, 0, null, then, "hold");
    tape.branch(moved, -Errno.EAGAIN, null, "hold", null);
    drop();
    tape.go("hold");
    tape.label("hold-no-more");
    tape.attempt(CLOSE, n(ConsoleTape.HELD_FD));
    tape.attempt(CLOSE, n(ConsoleTape.SECOND_FD));
    copyUntilEnd(childFd, then);
  }

  /**
   * Copies from a terminal, by way of the pipe, until the child has ended. A program may close its
   * terminal and run on.
   */
  void copyTerminal(int childFd, String then) {
    long child = childFd | WAIT_FOR_INPUT;
    var poll = tape.preset("poll", ConsoleTape.HELD_FD | WAIT_FOR_INPUT, child);
    var moved = tape.words("moved", 1);
    tape.label(COPY);
    tape.attempt(PPOLL, poll, n(2), NULL, NULL, n(0));
    tape.branch(TapeWriter.at(poll, 1), child, null, MOVE, LAST);
    tape.label(MOVE);
    toPipe(moved);
    tape.branch(moved, -Errno.EAGAIN, null, COPY, null);
    tape.branch(moved, 0, then, then, null);
    toLog();
    tape.go(COPY);
    tape.label(LAST);
    toPipe(moved);
    tape.branch(moved, 0, then, then, null);
    toLog();
    tape.go(LAST);
  }

  private void toPipe(Arg.Word moved) {
    var from = n(ConsoleTape.HELD_FD);
    var to = n(ConsoleTape.SECOND_FD);
    tape.into(moved, SPLICE, from, NULL, to, NULL, n(PART_OF_PIPE), flags());
  }

  /** What the log does not take is read away, so that the pipe has room again. */
  private void toLog() {
    tape.attempt(SPLICE, n(firstFd), NULL, n(logFd()), NULL, n(WHOLE_PIPE), flags());
    drop();
  }

  private void drop() {
    var dropped = tape.words("dropped", DROPPED_WORDS);
    tape.attempt(READ, n(firstFd), dropped, n(DROPPED_WORDS * Long.BYTES));
  }

  private static Arg flags() {
    return SPLICE_F_MOVE.or(SPLICE_F_NONBLOCK);
  }
}
