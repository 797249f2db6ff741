package dev.regroup.runtime.tape;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Syscall;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * The only machine code of Regroup: a loop over 64-byte records, as a table of bytes, wrapped into
 * a static executable of under one kilobyte. Its first three records are part of the executable and
 * map the tape from descriptor 3; if that fails it exits with 126. It needs no library and no
 * stack.
 */
public final class Interpreter {

  /** The tape is read from this descriptor. */
  public static final int TAPE_FD = 3;

  /** Exit code when there is no tape to map. */
  public static final int NO_TAPE = 126;

  /** rbx = record. Registers of the call: rax, rdi, rsi, rdx, r10, r8, r9. */
  private static final String X86_64 =
      """
      bb 00 02 00 10        mov   $0x10000200, %ebx     first record: in this executable
      48 8b 03        loop: mov   (%rbx), %rax          word 0: number of the call
      48 85 c0              test  %rax, %rax
      78 27                 js    branch                negative: a comparison
      48 8b 7b 08           mov   8(%rbx), %rdi
      48 8b 73 10           mov   16(%rbx), %rsi
      48 8b 53 18           mov   24(%rbx), %rdx
      4c 8b 53 20           mov   32(%rbx), %r10
      4c 8b 43 28           mov   40(%rbx), %r8
      4c 8b 4b 30           mov   48(%rbx), %r9
      0f 05                 syscall
      48 8b 4b 38           mov   56(%rbx), %rcx        word 7: where the result goes
      48 89 01              mov   %rax, (%rcx)
      48 83 c3 40           add   $64, %rbx             next record
      eb d1                 jmp   loop
      48 8b 4b 08   branch: mov   8(%rbx), %rcx         word 1: address of what to compare
      48 8b 09              mov   (%rcx), %rcx
      48 3b 4b 10           cmp   16(%rbx), %rcx        word 2: with this number
      7c 08                 jl    less
      74 0c                 je    equal
      48 8b 5b 28           mov   40(%rbx), %rbx        word 5: greater, go on there
      eb bc                 jmp   loop
      48 8b 5b 18     less: mov   24(%rbx), %rbx        word 3
      eb b6                 jmp   loop
      48 8b 5b 20    equal: mov   32(%rbx), %rbx        word 4
      eb b0                 jmp   loop
      """;

  /** x19 = record. Registers of the call: x8, x0 to x5. */
  private static final String ARM64 =
      """
      13 00 a2 d2           movz  x19, #0x1000, lsl 16  first record: in this executable
      13 40 80 f2           movk  x19, #0x0200
      68 02 40 f9     loop: ldr   x8, [x19]             word 0: number of the call
      28 01 f8 b7           tbnz  x8, #63, branch       negative: a comparison
      60 86 40 a9           ldp   x0, x1, [x19, #8]
      62 8e 41 a9           ldp   x2, x3, [x19, #24]
      64 96 42 a9           ldp   x4, x5, [x19, #40]
      01 00 00 d4           svc   #0
      69 1e 40 f9           ldr   x9, [x19, #56]        word 7: where the result goes
      20 01 00 f9           str   x0, [x9]
      73 02 01 91           add   x19, x19, #64         next record
      f7 ff ff 17           b     loop
      69 06 40 f9   branch: ldr   x9, [x19, #8]         word 1: address of what to compare
      29 01 40 f9           ldr   x9, [x9]
      6a 0a 40 f9           ldr   x10, [x19, #16]       word 2: with this number
      3f 01 0a eb           cmp   x9, x10
      8b 00 00 54           b.lt  less
      a0 00 00 54           b.eq  equal
      73 16 40 f9           ldr   x19, [x19, #40]       word 5: greater, go on there
      ef ff ff 17           b     loop
      73 0e 40 f9     less: ldr   x19, [x19, #24]       word 3
      ed ff ff 17           b     loop
      73 12 40 f9    equal: ldr   x19, [x19, #32]       word 4
      eb ff ff 17           b     loop
      """;

  private static final int CODE_COLUMNS = 14; // bytes stand left of this column
  private static final long CODE_BASE = 0x40_0000L;
  private static final long DATA_BASE = 0x1000_0000L;
  private static final int HEADER_BYTES = 64;
  private static final int PROGRAM_HEADER_BYTES = 56;
  private static final int CODE_AT = HEADER_BYTES + 3 * PROGRAM_HEADER_BYTES;
  private static final int RECORDS_AT = 512; // the 0x0200 in the first instruction
  private static final int RECORDS = 3;
  private static final int PAGE = 0x1_0000; // arm64 kernels may have 64 KB pages

  private static final int PT_LOAD = 1;
  private static final int PT_GNU_STACK = 0x6474e551;
  private static final int READ_WRITE = 6;
  private static final int READ_EXECUTE = 5;

  private static final int MAP_PRIVATE_FIXED_NORESERVE = 0x4012;

  private Interpreter() {}

  /** The loop alone. */
  static byte[] code(Architecture architecture) {
    String table =
        switch (architecture) {
          case X86_64 -> X86_64;
          case ARM64 -> ARM64;
        };
    var hex = new StringBuilder();
    table.lines().forEach(line -> hex.append(line, 0, CODE_COLUMNS));
    return HexFormat.of().parseHex(hex.toString().replace(" ", ""));
  }

  /** The executable file. */
  public static byte[] executable(Architecture architecture) {
    byte[] code = code(architecture);
    int dataBytes = RECORDS * Assembler.RECORD_BYTES + Long.BYTES;
    var file = ByteBuffer.allocate(RECORDS_AT + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
    short machine =
        switch (architecture) {
          case X86_64 -> 62;
          case ARM64 -> 183;
        };
    file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 0}).putLong(0); // 64 bits, little end first
    file.putShort((short) 2).putShort(machine).putInt(1); // an executable, version 1
    file.putLong(CODE_BASE + CODE_AT).putLong(HEADER_BYTES).putLong(0); // entry, program headers
    file.putInt(0).putShort((short) HEADER_BYTES).putShort((short) PROGRAM_HEADER_BYTES);
    file.putShort((short) 3).putShort((short) 64).putShort((short) 0).putShort((short) 0);
    segment(file, PT_LOAD, READ_EXECUTE, 0, CODE_BASE, CODE_AT + code.length);
    segment(file, PT_LOAD, READ_WRITE, RECORDS_AT, DATA_BASE + RECORDS_AT, dataBytes);
    segment(file, PT_GNU_STACK, READ_WRITE, 0, 0, 0);
    file.put(code).position(RECORDS_AT);
    long first = DATA_BASE + RECORDS_AT;
    long result = first + (long) RECORDS * Assembler.RECORD_BYTES;
    long give = first + 2L * Assembler.RECORD_BYTES;
    long mmap = Syscall.MMAP.number(architecture);
    long exit = Syscall.EXIT_GROUP.number(architecture);
    long readWrite = 3;
    record(
        file,
        mmap,
        Assembler.BASE,
        Assembler.MAX_BYTES,
        readWrite,
        MAP_PRIVATE_FIXED_NORESERVE,
        TAPE_FD,
        0,
        result);
    record(file, -1, result, 0, give, give, Assembler.BASE, 0, 0); // mapped: go on at the tape
    record(file, exit, NO_TAPE, 0, 0, 0, 0, 0, result);
    return file.array();
  }

  private static void segment(
      ByteBuffer file, int type, int rights, long offset, long address, long size) {
    file.putInt(type).putInt(rights).putLong(offset).putLong(address).putLong(address);
    file.putLong(size).putLong(size).putLong(PAGE);
  }

  private static void record(ByteBuffer file, long... words) {
    for (long word : words) {
      file.putLong(word);
    }
  }
}
