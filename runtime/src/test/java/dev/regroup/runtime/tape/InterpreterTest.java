package dev.regroup.runtime.tape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.linux.Architecture;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InterpreterTest {

  @Test
  void is_a_loop_of_under_a_hundred_bytes() {
    assertThat(Interpreter.code(Architecture.X86_64)).hasSize(85);
    assertThat(Interpreter.code(Architecture.ARM64)).hasSize(96);
  }

  /** Branches of the arm64 table, decoded: each lands on the instruction its comment names. */
  @Test
  void jumps_of_the_arm64_table_land_where_they_should() {
    var code = ByteBuffer.wrap(Interpreter.code(Architecture.ARM64)).order(ByteOrder.LITTLE_ENDIAN);
    int loop = 8;

    assertThat(0x0c + ((code.getInt(0x0c) >> 5) & 0x3fff) * 4).isEqualTo(0x30); // tbnz branch
    for (int at : new int[] {0x2c, 0x4c, 0x54, 0x5c}) {
      assertThat(at + ((code.getInt(at) << 6) >> 6) * 4).isEqualTo(loop); // b loop
    }
    assertThat(0x40 + ((code.getInt(0x40) >> 5) & 0x7ffff) * 4).isEqualTo(0x50); // b.lt less
    assertThat(0x44 + ((code.getInt(0x44) >> 5) & 0x7ffff) * 4).isEqualTo(0x58); // b.eq equal
  }

  @ParameterizedTest
  @EnumSource
  void is_an_executable_of_under_a_kilobyte_that_maps_descriptor_3(Architecture architecture) {
    byte[] file = Interpreter.executable(architecture);
    var elf = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);

    assertThat(file).hasSizeLessThan(1024).startsWith(0x7f, 'E', 'L', 'F');
    assertThat(elf.getLong(24)).as("entry").isEqualTo(0x400000L + 64 + 3 * 56);
    assertThat(elf.getLong(512 + 8)).as("mmap where").isEqualTo(Assembler.BASE);
    assertThat(elf.getLong(512 + 40)).as("mmap what").isEqualTo(3);
  }
}
