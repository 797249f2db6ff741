package dev.regroup.runtime.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Spawn;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.tape.Interpreter;
import dev.regroup.runtime.tape.Tape;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts the interpreter with a tape and waits for its word. A tape talks on {@link #CONTROL_FD}:
 * it sends what it has to say as messages and closes its end when the setup is over, a program it
 * executes closes it by being executed. Safe for use by several threads.
 */
public final class TapeRunner {

  /** The tape's end of the control socket. */
  public static final int CONTROL_FD = 4;

  /** First descriptor that {@link #launch} may give to a tape. */
  public static final int FIRST_FREE_FD = 5;

  /** What a tape sends when it is prepared, and what it is sent to go on. */
  public static final String READY = "ready";

  public static final String GO = "go";

  private static final int LONGEST_MESSAGE = 64 * 1024;

  /** How long what waited in vain may take to end by itself. */
  private static final Duration IN_VAIN = Duration.ofSeconds(2);

  /**
   * A child that another thread starts holds what this program has open, and so the interpreter as
   * it is written, until it is a program of its own. Nothing tells when: it is tried again.
   */
  private static final Duration PAUSE = Duration.ofMillis(5);

  private static final int TRIES = 1_000;

  private final Architecture architecture;
  private final InterpreterFile program;
  private final Collector collector;

  private TapeRunner(Architecture architecture, InterpreterFile program, Collector collector) {
    this.architecture = architecture;
    this.program = program;
    this.collector = collector;
  }

  /**
   * Keeps the interpreter in this directory.
   *
   * @param collector of everything that is started
   */
  public static TapeRunner in(Path directory, Collector collector) throws IOException {
    var architecture = Architecture.current();
    var program = InterpreterFile.in(directory, Interpreter.executable(architecture));
    return new TapeRunner(architecture, program, collector);
  }

  /**
   * What became of a launch.
   *
   * @param child the interpreter; it may have ended
   * @param messages what the tape sent before the setup was over, in order
   */
  public record Launched(Child child, List<byte[]> messages) {}

  /**
   * Starts the tape and returns when its setup is over.
   *
   * @param argv what process lists show; it is how the process is recognised later
   * @param fds descriptors for the tape by the number it knows them under, from {@link
   *     #FIRST_FREE_FD} on without a gap; ours stay open here
   */
  public Launched launch(Tape tape, List<String> argv, List<Fd> fds, Duration patience)
      throws SyscallFailure {
    Fd[] control = Linux.socketPair();
    try (var ours = control[0];
        var theirs = control[1];
        var file = Linux.memoryFile(tape.name(), tape.assemble(architecture))) {
      var child = spawn(file, argv, fds, theirs);
      return new Launched(child, messages(ours, child, patience));
    }
  }

  /**
   * Starts a tape that splits: the parent says which processes these are, the child {@link #READY};
   * then the child reads {@link #GO} and hands over to another tape, which may be written only
   * then. Returns when it waits there.
   */
  public Waiting prepare(Tape tape, List<String> argv, List<Fd> fds, Duration patience)
      throws SyscallFailure {
    var waiting = spawnWaiting(tape, argv, fds);
    try {
      Linux.receiveTimeout(waiting.control, patience);
      var first = message(waiting.control); // two processes speak, in any order
      var second = first.length == 0 ? first : message(waiting.control);
      if (isReady(first) == isReady(second)) {
        throw notReady(tape, second.length == tape.reportBytes() ? second : first);
      }
      waiting.said = isReady(first) ? second : first;
      return waiting;
    } catch (SyscallFailure e) {
      waiting.close();
      throw e;
    }
  }

  private static boolean isReady(byte[] message) {
    return Arrays.equals(message, READY.getBytes(US_ASCII));
  }

  private static SyscallFailure notReady(Tape tape, byte[] report) {
    var why = tape.failures(report);
    return why.isEmpty()
        ? new SyscallFailure(tape.name() + " ended", 0)
        : new SyscallFailure(tape.name() + ": " + why.getLast().message(), why.getLast().errno());
  }

  private Waiting spawnWaiting(Tape tape, List<String> argv, List<Fd> fds) throws SyscallFailure {
    Fd[] control = Linux.socketPair();
    try {
      var file = Linux.memoryFile(tape.name(), tape.assemble(architecture));
      try {
        return new Waiting(spawn(file, argv, fds, control[1]), file, control[0]);
      } catch (SyscallFailure e) {
        file.close();
        throw e;
      }
    } catch (SyscallFailure e) {
      control[0].close();
      control[1].close();
      throw e;
    }
  }

  /** A tape that waits for the word to go on. It ends with this program, or by being closed. */
  public final class Waiting implements AutoCloseable {

    private final Child child;
    private final Fd file;
    private final Fd control;
    private byte[] said = {};

    private Waiting(Child child, Fd file, Fd control) {
      this.child = child;
      this.file = file;
      this.control = control;
    }

    /** What its parent said of these processes. */
    public byte[] said() {
      return said.clone();
    }

    /** Whether it still does; somebody may have killed it. */
    public boolean waits() throws SyscallFailure {
      return !Linux.awaitReadable(control, Duration.ZERO); // it says nothing more, only its end
    }

    /** Tells it to go on with this tape and returns when its setup is over. Once. */
    public Launched go(Tape next, Duration patience) throws SyscallFailure {
      try (control) {
        tell(next);
        return new Launched(child, messages(control, child, patience));
      }
    }

    private void tell(Tape next) throws SyscallFailure {
      try (file) {
        Linux.writeAt(file, next.assembleNext(architecture), Tape.NEXT_AT);
        Linux.write(control, GO.getBytes(US_ASCII));
      } catch (SyscallFailure e) {
        child.end(); // it was killed, or there is no memory: it cannot go on
        throw e;
      }
    }

    /** Ends it, unless it went on: it sees that nobody will tell it, and its parent that. */
    @Override
    public void close() {
      file.close();
      if (control.isOpen()) {
        control.close();
        if (!child.awaitEnd(IN_VAIN)) {
          child.end();
        }
      }
    }
  }

  private Child spawn(Fd tape, List<String> argv, List<Fd> fds, Fd control) throws SyscallFailure {
    try (control) {
      Map<Integer, Integer> numbers = new HashMap<>();
      numbers.put(Interpreter.TAPE_FD, tape.number());
      numbers.put(CONTROL_FD, control.number());
      for (int i = 0; i < fds.size(); i++) {
        numbers.put(FIRST_FREE_FD + i, fds.get(i).number());
      }
      return Child.born(start(argv, numbers), collector);
    }
  }

  private int start(List<String> argv, Map<Integer, Integer> fds) throws SyscallFailure {
    for (int tries = 1; ; tries++) {
      try {
        return Spawn.start(program.path(), argv, List.of(), fds);
      } catch (SyscallFailure refused) {
        if (tries == TRIES || !cleared(refused)) {
          throw refused;
        }
      }
    }
  }

  /** Whether what stood in the way may be gone now. */
  private boolean cleared(SyscallFailure refused) throws SyscallFailure {
    if (refused.errno() == Errno.ETXTBSY) {
      LockSupport.parkNanos(PAUSE.toNanos());
      return true;
    }
    if (refused.errno() != Errno.EACCES) {
      return false;
    }
    try {
      program.renew();
    } catch (IOException e) {
      refused.addSuppressed(e);
      throw refused;
    }
    return true;
  }

  private static List<byte[]> messages(Fd control, Child child, Duration patience)
      throws SyscallFailure {
    try {
      Linux.receiveTimeout(control, patience);
      var messages = new ArrayList<byte[]>();
      for (var next = message(control); next.length > 0; next = message(control)) {
        messages.add(next);
      }
      return messages;
    } catch (SyscallFailure e) {
      child.end(); // it hangs in a call; nothing it made outlives it
      throw new SyscallFailure("waiting for the setup of process " + child.pid(), e.errno());
    }
  }

  /** The next one; empty when the tape has closed its end. */
  private static byte[] message(Fd control) throws SyscallFailure {
    while (true) {
      try {
        return Linux.read(control, LONGEST_MESSAGE);
      } catch (SyscallFailure e) {
        if (e.errno() != Errno.EINTR) {
          throw e;
        }
      }
    }
  }
}
