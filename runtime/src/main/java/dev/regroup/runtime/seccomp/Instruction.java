package dev.regroup.runtime.seccomp;

import java.nio.ByteBuffer;

/**
 * One instruction of classic BPF: an operation, two jump distances, a number. The machine has one
 * register; it can only jump forward.
 */
record Instruction(int code, int ifTrue, int ifFalse, int number) {

  static final int BYTES = 8;

  /** Farthest a comparison can jump. */
  static final int FAR = 255;

  static final int LOAD = 0x20;
  static final int JUMP = 0x05;
  static final int IF_EQUAL = 0x15;
  static final int IF_GREATER = 0x25;
  static final int IF_GREATER_OR_EQUAL = 0x35;
  static final int AND = 0x54;
  static final int RETURN = 0x06;

  Instruction {
    if (ifTrue > FAR || ifFalse > FAR) {
      throw new IllegalArgumentException("jump too far: " + ifTrue + ", " + ifFalse);
    }
  }

  static Instruction load(int offset) {
    return new Instruction(LOAD, 0, 0, offset);
  }

  static Instruction and(int mask) {
    return new Instruction(AND, 0, 0, mask);
  }

  static Instruction jump(int over) {
    return new Instruction(JUMP, 0, 0, over);
  }

  static Instruction ifEqual(int number, int ifTrue, int ifFalse) {
    return new Instruction(IF_EQUAL, ifTrue, ifFalse, number);
  }

  static Instruction ifGreater(int number, int ifTrue, int ifFalse) {
    return new Instruction(IF_GREATER, ifTrue, ifFalse, number);
  }

  static Instruction ifGreaterOrEqual(int number, int ifTrue, int ifFalse) {
    return new Instruction(IF_GREATER_OR_EQUAL, ifTrue, ifFalse, number);
  }

  static Instruction give(FilterVerdict verdict) {
    return new Instruction(RETURN, 0, 0, verdict.value());
  }

  void put(ByteBuffer program) {
    program.putShort((short) code).put((byte) ifTrue).put((byte) ifFalse).putInt(number);
  }
}
