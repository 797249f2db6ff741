package dev.regroup.runtime.seccomp;

import dev.regroup.runtime.linux.Architecture;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * A compiled profile, for one architecture.
 *
 * @param name for people
 * @param program instructions of 8 bytes, as the kernel reads them
 */
public record Filter(String name, byte[] program) {

  private static final int MOST_INSTRUCTIONS = 4096; // the kernel's limit

  public Filter {
    program = program.clone();
    int instructions = program.length / Instruction.BYTES;
    if (program.length % Instruction.BYTES != 0
        || instructions == 0
        || instructions > MOST_INSTRUCTIONS) {
      throw new IllegalArgumentException(
          "seccomp profile %s: must have 1 to %d instructions, has %d"
              .formatted(name, MOST_INSTRUCTIONS, instructions));
    }
  }

  public static Filter of(String name, Profile profile, Architecture architecture) {
    List<Instruction> code = Compiler.compile(profile, architecture);
    var program =
        ByteBuffer.allocate(code.size() * Instruction.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    code.forEach(instruction -> instruction.put(program));
    return new Filter(name, program.array());
  }

  public int instructions() {
    return program.length / Instruction.BYTES;
  }

  @Override
  public byte[] program() {
    return program.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Filter filter
        && name.equals(filter.name)
        && Arrays.equals(program, filter.program);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + Arrays.hashCode(program);
  }

  @Override
  public String toString() {
    return "%s (%d instructions)".formatted(name, instructions());
  }
}
