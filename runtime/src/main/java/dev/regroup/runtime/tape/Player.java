package dev.regroup.runtime.tape;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Syscall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The interpreter's loop in Java: plays the records of a tape one by one and lets a {@link Kernel}
 * answer the calls. So a tape can be played without a process of its own, inside this program, and
 * in tests against a kernel that only keeps books. For one thread; a player plays once.
 */
public final class Player {

  /** No tape is that long: one that only goes in circles must not hold its thread. */
  private static final int MOST_RECORDS = 10_000;

  private static final int ARGUMENTS = 6;

  private final Tape tape;
  private final Architecture architecture;
  private final ByteBuffer memory;
  private final long base;
  private long record;
  private boolean over;
  private int played;

  private Player(Tape tape, Architecture architecture, ByteBuffer memory, long base, long record) {
    this.tape = tape;
    this.architecture = architecture;
    this.memory = memory.order(ByteOrder.LITTLE_ENDIAN);
    this.base = base;
    this.record = record;
  }

  /** With the addresses the tape would have in a process; nothing lies there. */
  public static Player pretending(Tape tape, Architecture architecture) {
    var memory = ByteBuffer.wrap(tape.assemble(architecture));
    return new Player(tape, architecture, memory, Assembler.BASE, Assembler.BASE);
  }

  /** With real addresses, so that the real kernel can follow them. */
  public static Player in(SegmentAllocator allocator, Tape tape, Architecture architecture) {
    var image = new Assembler(tape, architecture).image();
    MemorySegment memory = allocator.allocate(image.size(), Long.BYTES);
    long base = memory.address();
    MemorySegment.copy(MemorySegment.ofArray(image.at(base)), 0, memory, 0, image.size());
    return new Player(tape, architecture, memory.asByteBuffer(), base, base);
  }

  /** Makes calls and follows branches until the kernel ends it or the next tape's turn comes. */
  public void play(Kernel kernel) {
    long end = base + (long) tape.steps().size() * Assembler.RECORD_BYTES;
    while (!over && !handedOver()) {
      if (++played > MOST_RECORDS) {
        throw new IllegalStateException(tape.name() + ": the tape does not end");
      }
      if (record >= end) {
        throw new IllegalStateException(tape.name() + ": the tape runs over its end");
      }
      long number = word(record);
      if (number < 0) {
        branch();
      } else {
        call(kernel, (int) number);
      }
    }
  }

  private void branch() {
    long found = word(word(record + 8));
    long number = word(record + 16);
    int target = found < number ? 24 : found == number ? 32 : 40;
    record = word(record + target);
  }

  private void call(Kernel kernel, int number) {
    long[] arguments = new long[ARGUMENTS];
    for (int i = 0; i < ARGUMENTS; i++) {
      arguments[i] = word(record + (1L + i) * Long.BYTES);
    }
    answer(kernel.call(this, Syscall.numbered(number, architecture), arguments));
  }

  private void answer(long result) {
    put(word(record + (1L + ARGUMENTS) * Long.BYTES), result);
    record += Assembler.RECORD_BYTES;
  }

  /** Whether it came to the end of the tape and another one has to follow. */
  public boolean handedOver() {
    return record == base + Assembler.MAX_BYTES;
  }

  /** Where it is: the index of the record being played. */
  public int index() {
    return (int) ((record - base) / Assembler.RECORD_BYTES);
  }

  /** No further record is played; what a call that does not return does. */
  public void end() {
    over = true;
  }

  /** A second process with a copy of the memory, to which the call being made answers 0. */
  Player fork() {
    var copy = ByteBuffer.allocate(memory.capacity()).put(memory.duplicate().clear());
    var child = new Player(tape, architecture, copy, base, record);
    child.answer(0);
    return child;
  }

  /** All words of the tape as they are now, for {@link Tape#failures}. */
  public byte[] report() {
    return bytes(base + (long) tape.steps().size() * Assembler.RECORD_BYTES, tape.reportBytes());
  }

  long word(long address) {
    return memory.getLong((int) (address - base));
  }

  void put(long address, long value) {
    memory.putLong((int) (address - base), value);
  }

  byte[] bytes(long address, long length) {
    byte[] bytes = new byte[(int) length];
    memory.get((int) (address - base), bytes);
    return bytes;
  }

  /** The text that begins there, up to its zero byte. */
  String text(long address) {
    int start = (int) (address - base);
    int end = start;
    while (memory.get(end) != 0) {
      end++;
    }
    return new String(bytes(address, end - start), StandardCharsets.UTF_8);
  }
}
