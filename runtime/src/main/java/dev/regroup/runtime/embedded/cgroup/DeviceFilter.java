package dev.regroup.runtime.embedded.cgroup;

import dev.regroup.runtime.embedded.tapes.Device;
import dev.regroup.runtime.linux.CgroupProgram;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which devices the processes of a control group may open, as a program the kernel asks: those of
 * {@link Device#DEFAULT}, consoles and pseudo terminals. Making a device file is always allowed, as
 * with containerd: it opens nothing.
 *
 * <p>This is the second line. The first is that all a container can write to is mounted without
 * devices; but a container that may mount can have others.
 */
final class DeviceFilter {

  private static final int INSTRUCTION_BYTES = 8;

  // What the program is given: type and access in one word, then major and minor number.
  private static final int ACCESS = 0;
  private static final int MAJOR = 4;
  private static final int MINOR = 8;

  private static final int CHARACTER = 2;
  private static final int MAKE = 1;

  private static final int TERMINALS = 5;
  private static final List<Integer> CONSOLE_AND_PTMX = List.of(1, 2);
  private static final int FIRST_PSEUDO_TERMINAL = 136;
  private static final int LAST_PSEUDO_TERMINAL = 143;

  // Operations of the kernel's machine, each with a number as its operand.
  private static final int LOAD = 0x61;
  private static final int SET = 0xb7;
  private static final int COPY = 0xbf;
  private static final int AND = 0x57;
  private static final int SHIFT_RIGHT = 0x77;
  private static final int IF_EQUAL = 0x15;
  private static final int UNLESS_EQUAL = 0x55;
  private static final int IF_GREATER = 0x25;
  private static final int IF_LESS = 0xa5;
  private static final int EXIT = 0x95;

  private record Instruction(int code, int to, int from, int distance, int number) {}

  private DeviceFilter() {}

  /** Puts it into force for a group of version 2 and all below it. */
  static void attach(Path group) throws SyscallFailure {
    CgroupProgram.attachDeviceFilter(program(), group);
  }

  /**
   * The same for a group of version 1: nothing, then what is allowed, line by line.
   *
   * @param group without groups below it
   */
  static void write(Path group) throws IOException {
    Files.writeString(group.resolve("devices.deny"), "a");
    for (String rule : rules()) {
      Files.writeString(group.resolve("devices.allow"), rule);
    }
  }

  /** What is allowed, as version 1 spells it. */
  static List<String> rules() {
    var rules = new ArrayList<>(List.of("b *:* m", "c *:* m"));
    for (Device device : Device.DEFAULT) {
      rules.add("c %d:%d rwm".formatted(device.major(), device.minor()));
    }
    CONSOLE_AND_PTMX.forEach(minor -> rules.add("c %d:%d rwm".formatted(TERMINALS, minor)));
    for (int major = FIRST_PSEUDO_TERMINAL; major <= LAST_PSEUDO_TERMINAL; major++) {
      rules.add("c %d:* rwm".formatted(major));
    }
    return rules;
  }

  /** r1 = what is asked; r2 = access, r3 = type, r4 = major, r5 = minor; r0 = the answer. */
  static byte[] program() {
    var program = new ArrayList<Instruction>();
    program.add(new Instruction(LOAD, 2, 1, ACCESS, 0));
    program.add(new Instruction(COPY, 3, 2, 0, 0));
    program.add(new Instruction(AND, 3, 0, 0, 0xffff));
    program.add(new Instruction(SHIFT_RIGHT, 2, 0, 0, 16));
    program.add(new Instruction(LOAD, 4, 1, MAJOR, 0));
    program.add(new Instruction(LOAD, 5, 1, MINOR, 0));
    program.add(new Instruction(UNLESS_EQUAL, 2, 0, 2, MAKE));
    answer(program, 1);
    program.add(new Instruction(IF_EQUAL, 3, 0, 2, CHARACTER));
    answer(program, 0);
    for (Device device : Device.DEFAULT) {
      allow(program, device.major(), device.minor());
    }
    CONSOLE_AND_PTMX.forEach(minor -> allow(program, TERMINALS, minor));
    program.add(new Instruction(IF_LESS, 4, 0, 3, FIRST_PSEUDO_TERMINAL));
    program.add(new Instruction(IF_GREATER, 4, 0, 2, LAST_PSEUDO_TERMINAL));
    answer(program, 1);
    answer(program, 0);
    var bytes =
        ByteBuffer.allocate(program.size() * INSTRUCTION_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (var instruction : program) {
      bytes.put((byte) instruction.code());
      bytes.put((byte) (instruction.to() | instruction.from() << 4));
      bytes.putShort((short) instruction.distance());
      bytes.putInt(instruction.number());
    }
    return bytes.array();
  }

  private static void allow(List<Instruction> program, int major, int minor) {
    program.add(new Instruction(UNLESS_EQUAL, 4, 0, 3, major));
    program.add(new Instruction(UNLESS_EQUAL, 5, 0, 2, minor));
    answer(program, 1);
  }

  private static void answer(List<Instruction> program, int allowed) {
    program.add(new Instruction(SET, 0, 0, 0, allowed));
    program.add(new Instruction(EXIT, 0, 0, 0, 0));
  }
}
