package dev.regroup.runtime.fabric;

import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.text;

import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.ProcessList;
import dev.regroup.runtime.process.TapeRunner;
import dev.regroup.runtime.tape.Constants;
import dev.regroup.runtime.tape.Tape;
import dev.regroup.runtime.tape.TapeWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The process that keeps the fabric's namespace while this program is away. It is born inside it,
 * does nothing, and is recognised by its arguments, which name the fabric's link and directory.
 *
 * <p>Its number is written down after it is started. A crash in between is no loss: the process is
 * then found by its arguments among all processes.
 */
final class FabricHolder implements AutoCloseable {
  private static final String NAME = "regroup-fabric"; // what process lists show
  private static final String NUMBER = "holder";
  private static final int SIGKILL = 9;
  private static final short POLLIN = 1;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Path directory;
  private final int pid;
  private final Fd pidfd;
  private final Optional<HolderCollector> collector;

  private FabricHolder(Path directory, int pid, Fd pidfd) {
    this(directory, pid, pidfd, Optional.empty());
  }

  private FabricHolder(Path directory, int pid, Fd pidfd, Optional<HolderCollector> collector) {
    this.directory = directory;
    this.pid = pid;
    this.pidfd = pidfd;
    this.collector = collector;
  }

  /** The running holder of this fabric, if there is one. */
  static Optional<FabricHolder> find(Path directory, Optional<FabricRecord> record)
      throws IOException {
    if (record.isEmpty()) {
      return Optional.empty(); // nothing is started before the record is written
    }
    List<String> argv = argv(directory, record.get());
    OptionalInt written = number(OwnerFiles.read(directory.resolve(NUMBER)).orElse(""));
    if (written.isPresent()) {
      var holder = recognise(directory, written.getAsInt(), argv);
      if (holder.isPresent()) {
        return holder;
      }
    }
    return search(directory, argv);
  }

  /**
   * Ends holders of this directory that nobody can find any more, because somebody deleted the
   * directory under them. Called when no holder was found; the caller is the directory's only user.
   */
  static void endOrphans(Path directory) throws IOException {
    for (int pid : processes()) {
      if (!orphan(pid, directory)) {
        continue;
      }
      try (var holder = new FabricHolder(directory, pid, Linux.pidfdOpen(pid))) {
        if (orphan(pid, directory)) { // the descriptor is that of the same process
          holder.end();
        }
      } catch (SyscallFailure e) {
        if (e.errno() != Errno.ESRCH) {
          throw e;
        }
      }
    }
  }

  /** Starts one in the namespace of the calling thread. */
  static FabricHolder start(Path directory, FabricRecord record) throws IOException {
    var collector = new HolderCollector();
    try {
      var child =
          TapeRunner.in(directory, collector)
              .launch(tape(), argv(directory, record), List.of(), PATIENCE)
              .child();
      try {
        var pidfd = Linux.pidfdOpen(child.pid());
        OwnerFiles.write(directory.resolve(NUMBER), child.pid() + "\n");
        return new FabricHolder(directory, child.pid(), pidfd, Optional.of(collector));
      } catch (IOException e) {
        child.end();
        throw e;
      }
    } catch (IOException e) {
      collector.close();
      throw e;
    }
  }

  /** Everything the holder does: let go of what it inherited (it is set up then), and wait. */
  static Tape tape() {
    return new TapeWriter("fabric")
        .attempt(Syscall.SETSID)
        .attempt(Syscall.CHDIR, text("/"))
        .attempt(Syscall.CLOSE_RANGE, n(0), Constants.LAST_FD, n(0))
        .label("wait")
        .attempt(Syscall.PPOLL, NULL, n(0), NULL, NULL, n(0))
        .go("wait")
        .tape();
  }

  /** The namespace; certain to be this process's, not that of a later one with its number. */
  private Fd openNamespace() throws IOException {
    Fd namespace = Linux.open(Namespaces.of(pid), Linux.O_RDONLY, 0);
    try {
      Linux.pidfdSendSignal(pidfd, 0);
      return namespace;
    } catch (IOException e) {
      namespace.close();
      throw e;
    }
  }

  /** The namespace of one that was found; empty if it ends now, and then it is let go of. */
  Optional<Fd> namespace() throws IOException {
    try {
      return Optional.of(openNamespace());
    } catch (SyscallFailure e) {
      if (e.errno() != Errno.ENOENT && e.errno() != Errno.ESRCH) {
        close();
        throw e;
      }
      awaitEnd();
      forget();
      return Optional.empty();
    }
  }

  /** Kills it and waits until it is gone. */
  void end() throws IOException {
    try {
      Linux.pidfdSendSignal(pidfd, SIGKILL);
    } catch (SyscallFailure e) {
      if (e.errno() != Errno.ESRCH) {
        throw e;
      }
    }
    awaitEnd();
    Linux.reap(pidfd); // if it is a child of this program, started by a fabric before this one
    Files.deleteIfExists(directory.resolve(NUMBER));
  }

  /** Readable once it has ended. */
  Fd pidfd() {
    return pidfd;
  }

  /** Lets go of one that has ended. */
  void forget() {
    Linux.reap(pidfd); // if it is a child of this program, started by a fabric before this one
    close();
  }

  @Override
  public void close() {
    pidfd.close();
    collector.ifPresent(HolderCollector::close);
  }

  private void awaitEnd() throws IOException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment poll = arena.allocate(8, 4);
      poll.set(ValueLayout.JAVA_INT, 0, pidfd.number());
      poll.set(ValueLayout.JAVA_SHORT, 4, POLLIN);
      MemorySegment patience = arena.allocateFrom(ValueLayout.JAVA_LONG, PATIENCE.toSeconds(), 0);
      if (Linux.call(Syscall.PPOLL, poll.address(), 1, patience.address(), 0, 0) == 0) {
        throw new IOException("process " + pid + " does not end");
      }
    }
  }

  private static List<String> argv(Path directory, FabricRecord record) {
    return List.of(NAME, record.hostLink(), directory.toString());
  }

  private static Optional<FabricHolder> search(Path directory, List<String> argv)
      throws IOException {
    for (int pid : processes()) {
      if (ProcessList.runs(pid, argv)) {
        var holder = recognise(directory, pid, argv);
        if (holder.isPresent()) {
          OwnerFiles.write(directory.resolve(NUMBER), pid + "\n");
          return holder;
        }
      }
    }
    return Optional.empty();
  }

  private static List<Integer> processes() throws IOException {
    var found = new ArrayList<Integer>();
    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        number(process.getFileName().toString()).ifPresent(found::add);
      }
      return found;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /** Holds a fabric of this directory; the same path in another file system is another one. */
  private static boolean orphan(int pid, Path directory) {
    Path process = Path.of("/proc/" + pid);
    try {
      String arguments = Files.readString(process.resolve("cmdline"));
      return arguments.startsWith(NAME + "\0")
          && arguments.endsWith("\0" + directory + "\0")
          && Files.readSymbolicLink(process.resolve("ns/mnt"))
              .equals(Files.readSymbolicLink(Path.of("/proc/self/ns/mnt")));
    } catch (IOException gone) {
      return false;
    }
  }

  /**
   * First the descriptor, then the arguments: in this order a reused number cannot deceive. Nor can
   * a container that gives itself these arguments: it is in a process namespace of its own.
   */
  private static Optional<FabricHolder> recognise(Path directory, int pid, List<String> argv) {
    try {
      Fd pidfd = Linux.pidfdOpen(pid);
      if (ProcessList.runs(pid, argv) && ProcessList.isBesideThis(pid)) {
        return Optional.of(new FabricHolder(directory, pid, pidfd));
      }
      pidfd.close();
      return Optional.empty();
    } catch (SyscallFailure gone) {
      return Optional.empty();
    }
  }

  private static OptionalInt number(String text) {
    try {
      return OptionalInt.of(Integer.parseInt(text.strip()));
    } catch (NumberFormatException torn) {
      return OptionalInt.empty();
    }
  }
}
