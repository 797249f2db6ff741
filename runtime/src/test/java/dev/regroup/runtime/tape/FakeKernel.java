package dev.regroup.runtime.tape;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Syscall;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Performs the bytes of a tape like the interpreter does, against a kernel that only keeps books:
 * descriptors are handed out lowest first, written bytes are kept by the name of the file, a clone
 * makes a second process. One record can be told to fail.
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
   */
  public record Ended(boolean child, Ending ending, int code, List<String> command) {}

  /** What a run left: ended processes, and what was written by file name. */
  public record Outcome(List<Ended> processes, Map<String, List<byte[]>> written, int steps) {

    public List<byte[]> written(String file) {
      return written.getOrDefault(file, List.of());
    }
  }

  private static final int MOST_STEPS = 10_000;
  private static final int CHILD_PID = 4712;
  private static final int PARENT_PID = 4711;

  private final Map<Integer, Syscall> calls = new HashMap<>();
  private final byte[] tape;
  private final int failingRecord;
  private final int errno;
  private final Map<String, List<byte[]>> written = new TreeMap<>();
  private final List<Ended> ended = new ArrayList<>();
  private final ArrayDeque<Task> waiting = new ArrayDeque<>();
  private int steps;

  /**
   * Makes one.
   *
   * @param failingRecord index of the record that fails, -1 for none
   */
  public FakeKernel(byte[] tape, Architecture architecture, int failingRecord, int errno) {
    this.tape = tape.clone();
    this.failingRecord = failingRecord;
    this.errno = errno;
    for (Syscall call : Syscall.values()) {
      calls.put(call.number(architecture), call);
    }
  }

  private static final class Task {
    final ByteBuffer memory;
    final TreeMap<Integer, String> files;
    final boolean child;
    long record = Assembler.BASE;

    Task(byte[] memory, Map<Integer, String> files, boolean child) {
      this.memory = ByteBuffer.wrap(memory.clone()).order(ByteOrder.LITTLE_ENDIAN);
      this.files = new TreeMap<>(files);
      this.child = child;
    }

    long word(long address) {
      return memory.getLong((int) (address - Assembler.BASE));
    }

    String text(long address) {
      int start = (int) (address - Assembler.BASE);
      int end = start;
      while (memory.get(end) != 0) {
        end++;
      }
      return new String(memory.array(), start, end - start, StandardCharsets.UTF_8);
    }

    byte[] bytes(long address, long length) {
      int start = (int) (address - Assembler.BASE);
      return java.util.Arrays.copyOfRange(memory.array(), start, start + (int) length);
    }

    int open(String name) {
      int lowest = 0;
      while (files.containsKey(lowest)) {
        lowest++;
      }
      files.put(lowest, name);
      return lowest;
    }
  }

  /** Runs it; {@code given} are the descriptors the process is started with, by number. */
  public Outcome run(Map<Integer, String> given) {
    waiting.add(new Task(tape, given, false));
    while (!waiting.isEmpty()) {
      perform(waiting.removeLast()); // a child comes before the parent that waits for it
    }
    return new Outcome(ended, written, steps);
  }

  private void perform(Task process) {
    while (true) {
      if (++steps > MOST_STEPS) {
        throw new AssertionError("the tape does not end");
      }
      long number = process.word(process.record);
      if (number < 0) {
        long found = process.word(process.word(process.record + 8));
        long wanted = process.word(process.record + 16);
        int offset = found < wanted ? 24 : found == wanted ? 32 : 40;
        process.record = process.word(process.record + offset);
        continue;
      }
      Syscall call = calls.get((int) number);
      if (call == null) {
        throw new AssertionError("no such call: " + number);
      }
      long[] args = new long[6];
      for (int i = 0; i < 6; i++) {
        args[i] = process.word(process.record + 8 + 8L * i);
      }
      int index = (int) ((process.record - Assembler.BASE) / Assembler.RECORD_BYTES);
      long target = process.word(process.record + 56);
      if (index == failingRecord) {
        process.memory.putLong((int) (target - Assembler.BASE), -errno);
        process.record += Assembler.RECORD_BYTES;
        continue;
      }
      if (call == Syscall.CLONE) {
        process.memory.putLong((int) (target - Assembler.BASE), 0);
        var child = new Task(process.memory.array(), process.files, true);
        child.record = process.record + Assembler.RECORD_BYTES;
        process.memory.putLong((int) (target - Assembler.BASE), CHILD_PID);
        process.record += Assembler.RECORD_BYTES;
        waiting.add(process);
        waiting.add(child);
        return;
      }
      if (ends(process, call, args)) {
        return;
      }
      process.memory.putLong((int) (target - Assembler.BASE), result(process, call, args));
      process.record += Assembler.RECORD_BYTES;
    }
  }

  private boolean ends(Task process, Syscall call, long[] args) {
    if (call == Syscall.EXIT_GROUP) {
      ended.add(new Ended(process.child, Ending.EXITED, (int) args[0], List.of()));
      return true;
    }
    if (call == Syscall.PPOLL) {
      ended.add(new Ended(process.child, Ending.SLEEPS, 0, List.of()));
      return true;
    }
    if (call == Syscall.EXECVE) {
      var command = new ArrayList<String>();
      for (long at = args[1]; process.word(at) != 0; at += 8) {
        command.add(process.text(process.word(at)));
      }
      ended.add(new Ended(process.child, Ending.EXECUTED, 0, command));
      return true;
    }
    return false;
  }

  private long result(Task process, Syscall call, long[] args) {
    return switch (call) {
      case OPENAT, OPEN_TREE -> process.open(process.text(args[1]));
      case SOCKET -> process.open("socket");
      case DUP -> process.open(file(process, args[0]));
      case DUP3 -> {
        process.files.put((int) args[1], file(process, args[0]));
        yield args[1];
      }
      case CLOSE -> process.files.remove((int) args[0]) == null ? -Errno.EBADF : 0;
      case CLOSE_RANGE -> {
        if (args[2] == 0) {
          process.files.keySet().removeIf(fd -> fd >= args[0] && fd <= args[1]);
        }
        yield 0;
      }
      case WRITE, PWRITE64, SENDTO -> write(process, args);
      case CLOCK_GETTIME -> {
        process.memory.putLong((int) (args[1] - Assembler.BASE), 1_700_000_000L);
        yield 0;
      }
      case WAIT4 -> {
        var child = ended.stream().filter(Ended::child).findFirst().orElseThrow();
        if (args[1] != 0) {
          process.memory.putInt((int) (args[1] - Assembler.BASE), child.code() << 8);
        }
        yield CHILD_PID;
      }
      case SETNS, IOCTL, MOVE_MOUNT -> {
        file(process, args[0]); // must be open
        yield 0;
      }
      case GETPID -> PARENT_PID;
      default -> 0;
    };
  }

  private long write(Task process, long[] args) {
    String name = process.files.get((int) args[0]);
    if (name == null) {
      return -Errno.EBADF;
    }
    byte[] bytes = process.bytes(args[1], args[2]);
    written.computeIfAbsent(name, _ -> new ArrayList<>()).add(bytes);
    return args[2];
  }

  private static String file(Task process, long fd) {
    String name = process.files.get((int) fd);
    if (name == null) {
      throw new AssertionError("descriptor %d is not open, only %s".formatted(fd, process.files));
    }
    return name;
  }

  /** For messages of failing tests. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
