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

  /** Longest tape the interpreter maps: 4 MB, more than the kernel takes as arguments. */
  static final int MAX_BYTES = 4 << 20;

  private record Pointer(int offset, int target) {}

  private final Tape tape;
  private final Architecture architecture;
  private final int wordsAt;
  private final int constantsAt;
  private final ByteArrayOutputStream constants = new ByteArrayOutputStream();
  private final Map<String, Integer> texts = new HashMap<>();
  private final List<Pointer> pointers = new ArrayList<>();

  Assembler(Tape tape, Architecture architecture) {
    this.tape = tape;
    this.architecture = architecture;
    this.wordsAt = tape.steps().size() * RECORD_BYTES;
    this.constantsAt = wordsAt + tape.reportBytes();
  }

  byte[] bytes() {
    var records = ByteBuffer.allocate(wordsAt).order(ByteOrder.LITTLE_ENDIAN);
    for (Step step : tape.steps()) {
      int start = records.position();
      switch (step) {
        case Step.Call call -> {
          records.putLong(call.call().number(architecture));
          for (Arg arg : call.args()) {
            records.putLong(value(arg));
          }
          records.position(start + RECORD_BYTES - Long.BYTES);
          records.putLong(value(call.result()));
        }
        case Step.Branch branch -> {
          records.putLong(-1).putLong(value(branch.word())).putLong(branch.number());
          records.putLong(record(branch.less())).putLong(record(branch.equal()));
          records.putLong(record(branch.greater()));
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
    var whole = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    whole.put(records.array()).position(constantsAt);
    whole.put(constants.toByteArray());
    for (var pointer : pointers) {
      whole.putLong(constantsAt + pointer.offset(), address(pointer.target()));
    }
    return whole.array();
  }

  private static long record(int index) {
    return BASE + (long) index * RECORD_BYTES;
  }

  private long address(int constant) {
    return BASE + constantsAt + constant;
  }

  private long value(Arg arg) {
    return switch (arg) {
      case Arg.Value value -> value.value();
      case Arg.ReportSize _ -> tape.reportBytes();
      case Arg.Word word -> BASE + wordsAt + (long) word.index() * Long.BYTES;
      case Arg.Text text -> address(text(text.value()));
      case Arg.Bytes bytes -> address(constant(bytes.value()));
      case Arg.Texts list -> address(texts(list.values()));
    };
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

  private int texts(List<String> values) {
    var targets = values.stream().map(this::text).toList();
    align();
    int offset = constants.size();
    constants.writeBytes(new byte[(targets.size() + 1) * Long.BYTES]);
    for (int i = 0; i < targets.size(); i++) {
      pointers.add(new Pointer(offset + i * Long.BYTES, targets.get(i)));
    }
    return offset;
  }

  private void align() {
    while (constants.size() % Long.BYTES != 0) {
      constants.write(0);
    }
  }
}
