package dev.regroup.cli.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * A program that becomes another one: it puts fixed words before its own arguments and calls {@code
 * execve}. An image without a shell, and a user's image with any C library or none, need something
 * the kernel itself can start; these are some twenty instructions, so they are kept here as a table
 * instead of as a file from a compiler.
 *
 * <p>Two segments: the code with the strings, and the table of arguments with room behind it for
 * those that the program is started with. All addresses are fixed.
 */
final class LauncherElf {

  private static final long TEXT = 0x400000;
  private static final long DATA = 0x500000; // a multiple of the largest page size
  private static final int PAGE = 0x10000;
  private static final int HEADERS = 64 + 3 * 56;
  private static final int MORE_ARGUMENTS = 8_192;

  /** Where three addresses are written into the code: end of the table, program, table. */
  private record Code(String hex, int machine, int end, int program, int table) {}

  private static final Code X86_64 =
      new Code(
          "488b0c24" // mov  rcx, [rsp]        number of arguments
              + "488d742408" // lea  rsi, [rsp+8]      the arguments
              + "488d54ce08" // lea  rdx, [rsi+rcx*8+8] the environment behind them
              + "4883c608" // add  rsi, 8            without the first
              + "48bf0000000000000000" // mov  rdi, end of the table
              + "fc" // cld
              + "f348a5" // rep movsq              as many as there were: the last is null
              + "48bf0000000000000000" // mov  rdi, program
              + "48be0000000000000000" // mov  rsi, table
              + "b83b000000" // mov  eax, 59          execve
              + "0f05" // syscall
              + "bf7f000000" // mov  edi, 127         it came back: nothing to start
              + "b83c000000" // mov  eax, 60          exit
              + "0f05", // syscall
          62,
          20,
          34,
          44);

  private static final Code AARCH64 =
      new Code(
          "e00340f9" // ldr  x0, [sp]           number of arguments
              + "e1230091" // add  x1, sp, 8          the arguments
              + "220c008b" // add  x2, x1, x0, lsl 3
              + "42200091" // add  x2, x2, 8          the environment behind them
              + "21200091" // add  x1, x1, 8          without the first
              + "e3010058" // ldr  x3, end of the table (15 words on)
              + "a00000b4" // cbz  x0, 5 words on
              + "248440f8" // ldr  x4, [x1], 8
              + "648400f8" // str  x4, [x3], 8
              + "000400d1" // sub  x0, x0, 1
              + "fcffff17" // b    4 words back
              + "60010058" // ldr  x0, program (11 words on)
              + "81010058" // ldr  x1, table (12 words on)
              + "a81b80d2" // mov  x8, 221            execve
              + "010000d4" // svc  0
              + "e00f80d2" // mov  x0, 127            it came back: nothing to start
              + "a80b80d2" // mov  x8, 93             exit
              + "010000d4" // svc  0
              + "1f2003d5" // nop, so that what follows is aligned to 8
              + "1f2003d5"
              + "0000000000000000"
              + "0000000000000000"
              + "0000000000000000",
          183,
          80,
          88,
          96);

  private LauncherElf() {}

  /** For the machine this runs on; {@code words} begin with the path of the program. */
  static byte[] of(List<String> words) {
    String machine = System.getProperty("os.arch");
    return switch (machine) {
      case "amd64" -> build(X86_64, words);
      case "aarch64" -> build(AARCH64, words);
      default -> throw new IllegalStateException("no launcher for " + machine);
    };
  }

  private static byte[] build(Code code, List<String> words) {
    byte[] text = HexFormat.of().parseHex(code.hex());
    int begin = HEADERS + (8 - HEADERS % 8) % 8;
    int strings = begin + text.length;
    int length = 0;
    for (String word : words) {
      length += word.getBytes(StandardCharsets.UTF_8).length + 1;
    }
    int table = strings + length + (8 - (strings + length) % 8) % 8;
    int size = table + 8 * words.size();
    var file = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    long tableAddress = DATA + table;
    header(file, code.machine(), TEXT + begin);
    segment(file, 1, 5, 0, TEXT, table, table); // PT_LOAD, read and execute
    int filled = 8 * words.size();
    segment(file, 1, 6, table, tableAddress, filled, filled + 8 * MORE_ARGUMENTS); // and write
    segment(file, 0x6474e551, 6, 0, 0, 0, 0); // PT_GNU_STACK: no code on the stack
    file.put(begin, text);
    file.putLong(begin + code.end(), tableAddress + filled);
    file.putLong(begin + code.program(), TEXT + strings);
    file.putLong(begin + code.table(), tableAddress);
    int at = strings;
    for (int i = 0; i < words.size(); i++) {
      byte[] word = words.get(i).getBytes(StandardCharsets.UTF_8);
      file.put(at, word);
      file.putLong(table + 8 * i, TEXT + at);
      at += word.length + 1;
    }
    return file.array();
  }

  private static void header(ByteBuffer file, int machine, long entry) {
    file.put(HexFormat.of().parseHex("7f454c46020101000000000000000000")); // 64 bit, little endian
    file.putShort((short) 2).putShort((short) machine).putInt(1); // an executable
    file.putLong(entry).putLong(64).putLong(0); // program headers follow, no sections
    file.putInt(0).putShort((short) 64);
    file.putShort((short) 56).putShort((short) 3); // three program headers
    file.putShort((short) 64).putShort((short) 0).putShort((short) 0);
  }

  private static void segment(
      ByteBuffer file, int type, int flags, long offset, long address, long filled, long size) {
    file.putInt(type).putInt(flags);
    file.putLong(offset).putLong(address).putLong(address);
    file.putLong(filled).putLong(size).putLong(PAGE);
  }
}
