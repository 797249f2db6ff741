package dev.regroup.runtime.seccomp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Runs the bytes of a filter as the kernel does, for one call. */
final class BpfMachine {

  /** How a run ended, and how long it took. */
  record Answer(FilterVerdict verdict, int instructions) {}

  private BpfMachine() {}

  static Answer run(Filter filter, int architecture, int number, long... arguments) {
    var program = ByteBuffer.wrap(filter.program()).order(ByteOrder.LITTLE_ENDIAN);
    var data = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
    data.putInt(number).putInt(architecture).putLong(0);
    for (long argument : arguments) {
      data.putLong(argument);
    }
    int register = 0;
    int steps = 0;
    for (int at = 0; ; at++) {
      steps++;
      int code = program.getShort(at * 8);
      int ifTrue = Byte.toUnsignedInt(program.get(at * 8 + 2));
      int ifFalse = Byte.toUnsignedInt(program.get(at * 8 + 3));
      int k = program.getInt(at * 8 + 4);
      switch (code) {
        case 0x20 -> register = data.getInt(k); // ld [k]
        case 0x54 -> register &= k; // and
        case 0x05 -> at += k; // ja
        case 0x15 -> at += register == k ? ifTrue : ifFalse;
        case 0x25 -> at += Integer.compareUnsigned(register, k) > 0 ? ifTrue : ifFalse;
        case 0x35 -> at += Integer.compareUnsigned(register, k) >= 0 ? ifTrue : ifFalse;
        case 0x06 -> {
          return new Answer(new FilterVerdict(k), steps);
        }
        default -> throw new AssertionError("no such instruction: 0x" + Integer.toHexString(code));
      }
    }
  }
}
