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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

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

  private final Architecture architecture;
  private final Path program;
  private final Collector collector;

  private TapeRunner(Architecture architecture, Path program, Collector collector) {
    this.architecture = architecture;
    this.program = program;
    this.collector = collector;
  }

  /**
   * Keeps the interpreter in this directory, under a name made of its content: it is written once,
   * so nobody ever executes a file somebody has open for writing.
   *
   * @param collector of everything that is started
   */
  public static TapeRunner in(Path directory, Collector collector) throws IOException {
    var architecture = Architecture.current();
    byte[] content = Interpreter.executable(architecture);
    Path program = directory.resolve("interpreter-" + hash(content));
    if (!Files.exists(program) || !Arrays.equals(Files.readAllBytes(program), content)) {
      Files.createDirectories(directory);
      Path draft = Files.createTempFile(directory, "interpreter", ".draft");
      Files.write(draft, content);
      Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwx------"));
      Files.move(draft, program, StandardCopyOption.ATOMIC_MOVE);
    }
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
   * Starts a tape that says {@link #READY}, then reads {@link #GO} and hands over to another tape,
   * which may be written only then; returns when it waits there.
   */
  public Waiting prepare(Tape tape, List<String> argv, List<Fd> fds, Duration patience)
      throws SyscallFailure {
    var waiting = spawnWaiting(tape, argv, fds);
    try {
      Linux.receiveTimeout(waiting.control, patience);
      byte[] word = Linux.read(waiting.control, LONGEST_MESSAGE);
      if (!Arrays.equals(word, READY.getBytes(US_ASCII))) {
        var why = tape.failures(word);
        throw new SyscallFailure(
            tape.name() + (why.isEmpty() ? " ended" : ": " + why.getLast().message()),
            why.isEmpty() ? 0 : why.getLast().errno());
      }
      return waiting;
    } catch (SyscallFailure e) {
      waiting.close();
      throw e;
    }
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

    private Waiting(Child child, Fd file, Fd control) {
      this.child = child;
      this.file = file;
      this.control = control;
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

    /** Ends it, unless it went on. */
    @Override
    public void close() {
      file.close();
      if (control.isOpen()) {
        control.close();
        child.end();
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
      return Child.born(Spawn.start(program, argv, List.of(), numbers), collector);
    }
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

  private static String hash(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
