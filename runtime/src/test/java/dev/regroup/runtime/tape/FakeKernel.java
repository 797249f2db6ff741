package dev.regroup.runtime.tape;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.process.TapeRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A kernel that only keeps books: descriptors are handed out lowest first, written bytes are kept
 * by the name of the file, a clone makes a second process. Records can be told to fail.
 */
public final class FakeKernel {

  /** How a process came to its end. */
  public enum Ending {
    EXITED,
    EXECUTED,
    SLEEPS
  }

  /**
   * A process that ended.
   *
   * @param code its exit code, if it exited
   * @param command what it executed, if it did
   * @param report the words of its tape
   */
  public record Ended(
      boolean child, Ending ending, int code, List<String> command, byte[] report) {}

  /** What a run left: ended processes, what was written by file name, the calls it came to. */
  public record Outcome(
      List<Ended> processes, Map<String, List<byte[]>> written, Set<Integer> played) {

    public List<byte[]> written(String file) {
      return written.getOrDefault(file, List.of());
    }
  }

  private static final int CHILD_PID = 4712;
  private static final int PARENT_PID = 4711;
  private static final String PIPE = "pipe";
  private static final long CLONE_PIDFD = 0x1000;

  private final List<Tape> tapes;
  private final Architecture architecture;
  private final Map<Integer, Integer> failing;
  private final Map<String, List<byte[]>> written = new TreeMap<>();
  private final List<Ended> ended = new ArrayList<>();
  private final Set<Integer> played = new TreeSet<>();

  /** For one tape. */
  public FakeKernel(Tape tape, Architecture architecture, Map<Integer, Integer> failing) {
    this(List.of(tape), architecture, failing);
  }

  /**
   * For tapes of which each hands over to the next.
   *
   * @param failing indexes of the records that fail, counted through all tapes, with the error
   *     number
   */
  public FakeKernel(List<Tape> tapes, Architecture architecture, Map<Integer, Integer> failing) {
    this.tapes = tapes;
    this.architecture = architecture;
    this.failing = Map.copyOf(failing);
  }

  /** Runs it; {@code given} are the descriptors the process is started with, by number. */
  public Outcome run(Map<Integer, String> given) {
    play(Player.pretending(tapes.getFirst(), architecture), new Task(given, false));
    return new Outcome(ended, written, played);
  }

  /** To the end of the process; one that nobody hands the next tape waits for it. */
  private void play(Player player, Task process) {
    player.play(process);
    if (player.handedOver()) {
      process.recordsBefore += tapes.get(process.tape++).steps().size();
      if (process.tape < tapes.size()) {
        play(Player.pretending(tapes.get(process.tape), architecture), process);
      } else {
        ended.add(new Ended(process.child, Ending.SLEEPS, 0, List.of(), player.report()));
      }
    }
  }

  /** The kernel as one process sees it. */
  private final class Task implements Kernel {
    private final TreeMap<Integer, String> files;
    private final boolean child;
    private int tape;
    private int recordsBefore;

    Task(Map<Integer, String> files, boolean child) {
      this.files = new TreeMap<>(files);
      this.child = child;
    }

    private Task born() {
      var forked = new Task(files, true);
      forked.tape = tape;
      forked.recordsBefore = recordsBefore;
      return forked;
    }

    @Override
    public long call(Player player, Syscall call, long[] args) {
      int index = recordsBefore + player.index();
      played.add(index);
      Integer errno = failing.get(index);
      if (errno != null) {
        return -errno;
      }
      return switch (call) {
        case CLONE, CLONE3 -> {
          FakeKernel.this.play(player.fork(), born()); // the parent only waits for it
          if ((flags(player, call, args) & CLONE_PIDFD) != 0) {
            open("child");
          }
          yield CHILD_PID;
        }
        case EXIT_GROUP -> end(player, Ending.EXITED, (int) args[0], List.of());
        case PPOLL -> args[1] == 0 ? end(player, Ending.SLEEPS, 0, List.of()) : poll(player, args);
        case PIPE2 -> {
          player.put(args[0], open(PIPE) | (long) open(PIPE) << 32);
          yield 0;
        }
        case SPLICE -> {
          file(args[0]); // must be open, and nothing more comes
          file(args[2]);
          yield 0;
        }
        case EXECVE -> end(player, Ending.EXECUTED, 0, texts(player, args[1]));
        case OPENAT, OPENAT2, OPEN_TREE -> open(player.text(args[1]));
        case SOCKET -> open("socket");
        case DUP -> open(file(args[0]));
        case DUP3 -> {
          files.put((int) args[1], file(args[0]));
          yield args[1];
        }
        case CLOSE -> files.remove((int) args[0]) == null ? -Errno.EBADF : 0;
        case CLOSE_RANGE -> {
          if (args[2] == 0) {
            files.keySet().removeIf(fd -> fd >= args[0] && fd <= args[1]);
          }
          yield 0;
        }
        case READ -> // somebody tells it to go on; the other end of a pipe is open and silent
            file(args[0]).equals(PIPE) ? -Errno.EAGAIN : TapeRunner.GO.length();
        case WRITE, PWRITE64, SENDTO -> write(player, args);
        case CLOCK_GETTIME -> {
          player.put(args[1], 1_700_000_000L);
          yield 0;
        }
        case WAIT4 -> {
          var first = ended.stream().filter(Ended::child).findFirst().orElseThrow();
          if (args[1] != 0) {
            player.put(args[1], (long) first.code() << 8);
          }
          yield CHILD_PID;
        }
        case SETNS, IOCTL, FCNTL, MOVE_MOUNT, PIDFD_SEND_SIGNAL -> {
          file(args[0]); // must be open
          yield 0;
        }
        case GETPID -> PARENT_PID;
        default -> 0;
      };
    }

    private static long flags(Player player, Syscall call, long[] args) {
      return call == Syscall.CLONE ? args[0] : player.word(args[0]);
    }

    /** All of them have something to say. */
    private long poll(Player player, long[] args) {
      for (int i = 0; i < args[1]; i++) {
        long asked = player.word(args[0] + i * (long) Long.BYTES);
        file(asked & 0xffff_ffffL);
        player.put(args[0] + i * (long) Long.BYTES, asked | 1L << 48);
      }
      return args[1];
    }

    private long end(Player player, Ending ending, int code, List<String> command) {
      ended.add(new Ended(child, ending, code, command, player.report()));
      player.end();
      return 0;
    }

    private static List<String> texts(Player player, long array) {
      var texts = new ArrayList<String>();
      for (long at = array; player.word(at) != 0; at += Long.BYTES) {
        texts.add(player.text(player.word(at)));
      }
      return texts;
    }

    private int open(String name) {
      int lowest = 0;
      while (files.containsKey(lowest)) {
        lowest++;
      }
      files.put(lowest, name);
      return lowest;
    }

    private long write(Player player, long[] args) {
      String name = files.get((int) args[0]);
      if (name == null) {
        return -Errno.EBADF;
      }
      byte[] bytes = player.bytes(args[1], args[2]);
      written.computeIfAbsent(name, _ -> new ArrayList<>()).add(bytes);
      return args[2];
    }

    private String file(long fd) {
      String name = files.get((int) fd);
      if (name == null) {
        throw new AssertionError("descriptor %d is not open, only %s".formatted(fd, files));
      }
      return name;
    }
  }
}
