package dev.regroup.runtime.tape;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Syscall;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A finished list of system calls. Immutable; made by {@link TapeWriter}, assembled for the
 * interpreter, printed for people.
 *
 * <p>Every call has a word of its own for the result. All words lie together, so a tape that fails
 * writes them out in one piece, and {@link #failures} reads from that piece which call failed and
 * why.
 */
public final class Tape {

  /** Where in a tape's file the next tape begins. */
  public static final int NEXT_AT = Assembler.MAX_BYTES;

  private final String name;
  private final List<Step> steps;
  private final Map<Integer, String> labels;
  private final int words;
  private final Map<Integer, Long> presets;

  Tape(
      String name,
      List<Step> steps,
      Map<Integer, String> labels,
      int words,
      Map<Integer, Long> presets) {
    this.name = name;
    this.steps = List.copyOf(steps);
    this.labels = Map.copyOf(labels);
    this.words = words;
    this.presets = Map.copyOf(presets);
  }

  public String name() {
    return name;
  }

  public List<Step> steps() {
    return steps;
  }

  /** Labels by the record they stand before. */
  Map<Integer, String> labels() {
    return labels;
  }

  /** Size of the piece a failing tape writes. */
  public int reportBytes() {
    return words * Long.BYTES;
  }

  /** Words that are not zero at the start. */
  Map<Integer, Long> presets() {
    return presets;
  }

  /** The records and data, as the interpreter maps them. */
  public byte[] assemble(Architecture architecture) {
    return new Assembler(this, architecture).image().at(Assembler.BASE);
  }

  /** The same for a tape that another one hands over to; {@link #NEXT_AT} is its place there. */
  public byte[] assembleNext(Architecture architecture) {
    return new Assembler(this, architecture).image().at(Assembler.BASE + Assembler.MAX_BYTES);
  }

  /** One line per record, like strace. Values of environments are left out. */
  public String print() {
    return new Printer(this).text();
  }

  /** A call that failed: its place on the tape, how it reads, and the error number. */
  public record Failure(int step, Syscall syscall, String call, int errno) {

    public String message() {
      return call + ": " + Errno.text(errno);
    }
  }

  /**
   * The calls in a report that must not fail and did, in order. The last one ended the tape; those
   * before it were tried in vain, as when a command is looked for along PATH. Empty if the report
   * is cut off or blames nobody.
   */
  public List<Failure> failures(byte[] report) {
    if (report.length < reportBytes()) {
      return List.of();
    }
    var values = ByteBuffer.wrap(report).order(ByteOrder.LITTLE_ENDIAN);
    var failures = new ArrayList<Failure>();
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i) instanceof Step.Call call && call.onError() == Step.OnError.FAILS) {
        long result = values.getLong(call.result().index() * Long.BYTES);
        if (result < 0) {
          failures.add(new Failure(i, call.call(), Printer.call(call), (int) -result));
        }
      }
    }
    return failures;
  }
}
