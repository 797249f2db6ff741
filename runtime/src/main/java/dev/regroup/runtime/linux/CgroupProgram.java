package dev.regroup.runtime.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A program the kernel runs for the processes of a control group. Once attached it stays as long as
 * the group; nobody has to hold it.
 */
public final class CgroupProgram {

  private static final int PROG_LOAD = 5;
  private static final int PROG_ATTACH = 8;
  private static final int TYPE_CGROUP_DEVICE = 15;
  private static final int ATTACH_CGROUP_DEVICE = 6;
  private static final int ALLOW_MULTI = 2; // beside one that holds for a group above
  private static final int ATTR_BYTES = 128;
  private static final int INSTRUCTION_BYTES = 8;

  // Where fields of union bpf_attr lie.
  private static final long INSTRUCTION_COUNT = 4;
  private static final long INSTRUCTIONS = 8;
  private static final long LICENSE = 16;
  private static final long TARGET = 0;
  private static final long PROGRAM = 4;
  private static final long ATTACH_TYPE = 8;
  private static final long ATTACH_FLAGS = 12;

  private CgroupProgram() {}

  /** Asks this program for every device a process of the group opens. */
  public static void attachDeviceFilter(byte[] program, Path group) throws SyscallFailure {
    try (var arena = Arena.ofConfined();
        Fd loaded = load(arena, program);
        Fd directory = Linux.open(group, Linux.O_RDONLY, 0)) {
      MemorySegment attributes = arena.allocate(ATTR_BYTES, Long.BYTES);
      attributes.set(JAVA_INT, TARGET, directory.number());
      attributes.set(JAVA_INT, PROGRAM, loaded.number());
      attributes.set(JAVA_INT, ATTACH_TYPE, ATTACH_CGROUP_DEVICE);
      attributes.set(JAVA_INT, ATTACH_FLAGS, ALLOW_MULTI);
      bpf(PROG_ATTACH, attributes);
    }
  }

  private static Fd load(Arena arena, byte[] program) throws SyscallFailure {
    MemorySegment attributes = arena.allocate(ATTR_BYTES, Long.BYTES);
    attributes.set(JAVA_INT, 0, TYPE_CGROUP_DEVICE);
    attributes.set(JAVA_INT, INSTRUCTION_COUNT, program.length / INSTRUCTION_BYTES);
    MemorySegment instructions = arena.allocate(program.length, Long.BYTES);
    instructions.copyFrom(MemorySegment.ofArray(program));
    attributes.set(JAVA_LONG_UNALIGNED, INSTRUCTIONS, instructions.address());
    attributes.set(JAVA_LONG_UNALIGNED, LICENSE, arena.allocateFrom("Apache-2.0").address());
    return new Fd((int) bpf(PROG_LOAD, attributes)); // close-on-exec by itself
  }

  private static long bpf(int command, MemorySegment attributes) throws SyscallFailure {
    return Linux.call(Syscall.BPF, command, attributes.address(), ATTR_BYTES);
  }
}
