package dev.regroup.runtime.tape;

import dev.regroup.runtime.linux.Architecture;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns a tape into bytes: first the records, then the words, then constants.
 *
 * <pre>
 *   call    number      a1   a2      a3    a4     a5       a6  &amp;result
 *   branch  -1     &amp;word  number  &amp;less &amp;equal &amp;greater   0        0
 * </pre>
 */
final class Assembler {

  /** Where the interpreter maps the tape. */
  static final long BASE = 0x2000_0000L;

  static final int RECORD_BYTES = 64;

  /**
   * Longest tape the interpreter maps: 4 MB, more than the kernel takes as arguments. Where it ends
   * in memory, and in its file, the next tape begins, if there is one.
   */
  static final int MAX_BYTES = 4 << 20;

  /**
   * A tape before it is known where it will lie.
   *
   * @param addresses offsets of the words that hold an address, counted from the tape's beginning
   */
  record Image(byte[] content, List<Integer> addresses) {

    int size() {
      return content.length;
    }

    /** The bytes for a tape that lies there. */
    byte[] at(long base) {
      var placed = ByteBuffer.wrap(content.clone()).order(ByteOrder.LITTLE_ENDIAN);
      for (int offset : addresses) {
        placed.putLong(offset, base + placed.getLong(offset));
      }
      return placed.array();
    }
  }

  private final Tape tape;
  private final Architecture architecture;
  private final int wordsAt;
  private final int constantsAt;
  private final ByteArrayOutputStream constants = new ByteArrayOutputStream();
  private final Map<String, Integer> texts = new HashMap<>();
  private final List<Integer> addresses = new ArrayList<>();

  Assembler(Tape tape, Architecture architecture) {
    this.tape = tape;
    this.architecture = architecture;
    this.wordsAt = tape.steps().size() * RECORD_BYTES;
    this.constantsAt = wordsAt + tape.reportBytes();
  }

  Image image() {
    var records = ByteBuffer.allocate(wordsAt).order(ByteOrder.LITTLE_ENDIAN);
    for (Step step : tape.steps()) {
      int start = records.position();
      switch (step) {
        case Step.Call call -> {
          records.putLong(call.call().number(architecture));
          for (Arg arg : call.args()) {
            put(records, arg);
          }
          records.position(start + RECORD_BYTES - Long.BYTES);
          put(records, call.result());
        }
        case Step.Branch branch -> {
          records.putLong(-1);
          put(records, branch.word());
          records.putLong(branch.number());
          for (int target : List.of(branch.less(), branch.equal(), branch.greater())) {
            putAddress(records, target == Step.NEXT_TAPE ? MAX_BYTES : target * RECORD_BYTES);
          }
          records.position(start + RECORD_BYTES);
        }
      }
    }
    align();
    int size = constantsAt + constants.size();
    if (size > MAX_BYTES) {
      throw new IllegalArgumentException(
          tape.name() + ": arguments and environment of " + size + " bytes are too long");
    }
    var whole = ByteBuffer.allocate(size);
    whole.order(ByteOrder.LITTLE_ENDIAN).put(records.array());
    tape.presets().forEach((word, value) -> whole.putLong(wordsAt + word * Long.BYTES, value));
    whole.position(constantsAt);
    whole.put(constants.toByteArray());
    return new Image(whole.array(), List.copyOf(addresses));
  }

  private void put(ByteBuffer records, Arg arg) {
    switch (arg) {
      case Arg.Value value -> records.putLong(value.value());
      case Arg.ReportSize _ -> records.putLong(tape.reportBytes());
      case Arg.Word word -> putAddress(records, wordsAt + word.index() * Long.BYTES);
      case Arg.Text text -> putAddress(records, constantsAt + text(text.value()));
      case Arg.Bytes bytes -> putAddress(records, constantsAt + constant(bytes.value()));
      case Arg.Pointing pointing -> putAddress(records, constantsAt + pointing(pointing));
      case Arg.Filter filter -> putAddress(records, constantsAt + filter(filter.program()));
      case Arg.Texts list -> putAddress(records, constantsAt + texts(list.values()));
    }
  }

  private void putAddress(ByteBuffer records, int offset) {
    addresses.add(records.position());
    records.putLong(offset);
  }

  private int text(String value) {
    Integer known = texts.get(value);
    if (known != null) {
      return known;
    }
    int offset = constants.size();
    constants.writeBytes(value.getBytes(StandardCharsets.UTF_8));
    constants.write(0);
    texts.put(value, offset);
    return offset;
  }

  private int constant(byte[] value) {
    align();
    int offset = constants.size();
    constants.writeBytes(value);
    return offset;
  }

  private int pointing(Arg.Pointing pointing) {
    var bytes = ByteBuffer.wrap(pointing.value().clone()).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(pointing.offset(), wordsAt + (long) pointing.word().index() * Long.BYTES);
    int offset = constant(bytes.array());
    addresses.add(constantsAt + offset + pointing.offset());
    return offset;
  }

  private int texts(List<String> values) {
    var targets = values.stream().map(this::text).toList();
    align();
    int offset = constants.size();
    var array =
        ByteBuffer.allocate((targets.size() + 1) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int target : targets) {
      addresses.add(constantsAt + offset + array.position());
      array.putLong(constantsAt + target);
    }
    constants.writeBytes(array.array());
    return offset;
  }

  private int filter(byte[] program) {
    int instructions = constant(program);
    align();
    int offset = constants.size();
    var array = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    array.putShort((short) (program.length / Arg.Filter.INSTRUCTION_BYTES));
    array.putLong(Long.BYTES, constantsAt + instructions);
    addresses.add(constantsAt + offset + Long.BYTES);
    constants.writeBytes(array.array());
    return offset;
  }

  private void align() {
    while (constants.size() % Long.BYTES != 0) {
      constants.write(0);
    }
  }
}
