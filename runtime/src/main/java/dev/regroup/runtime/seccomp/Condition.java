package dev.regroup.runtime.seccomp;

import static dev.regroup.runtime.seccomp.Instruction.and;
import static dev.regroup.runtime.seccomp.Instruction.ifEqual;
import static dev.regroup.runtime.seccomp.Instruction.ifGreater;
import static dev.regroup.runtime.seccomp.Instruction.ifGreaterOrEqual;
import static dev.regroup.runtime.seccomp.Instruction.load;

import java.util.List;

/**
 * A comparison of one argument of a call, as an unsigned number of 64 bits. The filter's machine
 * has 32 bits, so both halves are looked at.
 *
 * @param mask only for {@link Operator#MASKED_EQUAL}: the bits that count
 */
public record Condition(int argument, Operator operator, long value, long mask) {

  /** How the argument must compare with the value. */
  public enum Operator {
    EQUAL,
    NOT_EQUAL,
    MASKED_EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL
  }

  private static final int FIRST_ARGUMENT = 16; // struct seccomp_data: nr, arch, ip, args

  public Condition {
    if (argument < 0 || argument > 5) {
      throw new IllegalArgumentException("argument: must be 0 to 5, got " + argument);
    }
  }

  public static Condition of(int argument, Operator operator, long value) {
    return new Condition(argument, operator, value, -1);
  }

  static Condition masked(int argument, long mask, long value) {
    return new Condition(argument, Operator.MASKED_EQUAL, value, mask);
  }

  /** Goes on behind itself if it holds, else jumps over so many further instructions. */
  List<Instruction> code(int over) {
    int at = FIRST_ARGUMENT + argument * Long.BYTES;
    var lowHalf = load(at);
    var highHalf = load(at + Integer.BYTES);
    int low = (int) value;
    int high = (int) (value >>> 32);
    return switch (operator) {
      case EQUAL -> List.of(highHalf, ifEqual(high, 0, over + 2), lowHalf, ifEqual(low, 0, over));
      case NOT_EQUAL -> List.of(highHalf, ifEqual(high, 0, 2), lowHalf, ifEqual(low, over, 0));
      case MASKED_EQUAL ->
          List.of(
              highHalf,
              and((int) (mask >>> 32)),
              ifEqual(high, 0, over + 3),
              lowHalf,
              and((int) mask),
              ifEqual(low, 0, over));
      case GREATER ->
          List.of(
              highHalf,
              ifGreater(high, 3, 0),
              ifEqual(high, 0, over + 2),
              lowHalf,
              ifGreater(low, 0, over));
      case GREATER_OR_EQUAL ->
          List.of(
              highHalf,
              ifGreater(high, 3, 0),
              ifEqual(high, 0, over + 2),
              lowHalf,
              ifGreaterOrEqual(low, 0, over));
      case LESS ->
          List.of(
              highHalf,
              ifGreater(high, over + 3, 0),
              ifEqual(high, 0, 2),
              lowHalf,
              ifGreaterOrEqual(low, over, 0));
      case LESS_OR_EQUAL ->
          List.of(
              highHalf,
              ifGreater(high, over + 3, 0),
              ifEqual(high, 0, 2),
              lowHalf,
              ifGreater(low, over, 0));
    };
  }
}
