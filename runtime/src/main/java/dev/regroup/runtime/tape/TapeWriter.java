package dev.regroup.runtime.tape;

import dev.regroup.runtime.linux.Syscall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a tape, call by call. For one thread; {@link #tape} ends it.
 *
 * <p>{@code must} names the label to go on at when the call fails; {@code attempt} goes on in any
 * case. A label may be used before it is placed.
 */
public final class TapeWriter {

  private sealed interface Draft {
    record Ready(Step step) implements Draft {}

    record Jump(
        Arg.Word word,
        long number,
        @Nullable String less,
        @Nullable String equal,
        @Nullable String greater)
        implements Draft {}
  }

  private final String name;
  private final List<Draft> drafts = new ArrayList<>();
  private final Map<String, Integer> labels = new HashMap<>();
  private final Map<Integer, Long> presets = new HashMap<>();
  private int words;

  public TapeWriter(String name) {
    this.name = name;
  }

  /** A new run of words, all zero at the start; the value is the first. */
  public Arg.Word words(String wordName, int count) {
    var word = new Arg.Word(words, wordName);
    words += count;
    return word;
  }

  /** The same with these values at the start. */
  public Arg.Word preset(String wordName, long... values) {
    var first = words(wordName, values.length);
    for (int i = 0; i < values.length; i++) {
      presets.put(first.index() + i, values[i]);
    }
    return first;
  }

  /** A word of a run. */
  public static Arg.Word at(Arg.Word run, int index) {
    return new Arg.Word(run.index() + index, run.name() + "[" + index + "]");
  }

  /** The address where all words begin, for writing a report. */
  public static Arg.Word report() {
    return new Arg.Word(0, "report");
  }

  public TapeWriter label(String label) {
    if (labels.put(label, drafts.size()) != null) {
      throw new IllegalStateException(name + ": label " + label + " is placed twice");
    }
    return this;
  }

  /** Makes the call; goes on whatever it says. */
  public TapeWriter attempt(Syscall call, Arg... args) {
    return into(words(call.title(), 1), call, args);
  }

  /** Makes the call and keeps the result in a word of the caller's. */
  public TapeWriter into(Arg.Word result, Syscall call, Arg... args) {
    drafts.add(new Draft.Ready(new Step.Call(call, List.of(args), result, Step.OnError.GOES_ON)));
    return this;
  }

  /** Makes the call; goes on at the label if it fails. */
  public TapeWriter must(String orElse, Syscall call, Arg... args) {
    return must(words(call.title(), 1), orElse, call, args);
  }

  /** Like {@link #must(String, Syscall, Arg...)}, with the result kept. */
  public TapeWriter must(Arg.Word result, String orElse, Syscall call, Arg... args) {
    drafts.add(new Draft.Ready(new Step.Call(call, List.of(args), result, Step.OnError.FAILS)));
    return branch(result, 0, orElse, null, null);
  }

  /** Makes a call whose failure counts, without deciding yet where to go on. */
  public Arg.Word blame(Syscall call, Arg... args) {
    var result = words(call.title(), 1);
    drafts.add(new Draft.Ready(new Step.Call(call, List.of(args), result, Step.OnError.FAILS)));
    return result;
  }

  /** Goes on at a label by comparison; null = at the next record. */
  public TapeWriter branch(
      Arg.Word word,
      long number,
      @Nullable String less,
      @Nullable String equal,
      @Nullable String greater) {
    drafts.add(new Draft.Jump(word, number, less, equal, greater));
    return this;
  }

  /** Goes on at the label. */
  public TapeWriter go(String label) {
    return branch(report(), 0, label, label, label);
  }

  /** Goes on with the tape that was written behind this one meanwhile. */
  public TapeWriter handOver(String orElse) {
    must(
        orElse,
        Syscall.MMAP,
        Arg.flag("next tape", Assembler.BASE + Assembler.MAX_BYTES),
        Arg.n(Assembler.MAX_BYTES),
        Constants.PROT_READ.or(Constants.PROT_WRITE),
        Constants.MAP_PRIVATE.or(Constants.MAP_FIXED).or(Constants.MAP_NORESERVE),
        Arg.n(Interpreter.TAPE_FD),
        Arg.n(Assembler.MAX_BYTES));
    int next = Step.NEXT_TAPE;
    drafts.add(new Draft.Ready(new Step.Branch(report(), 0, next, next, next)));
    return this;
  }

  public Tape tape() {
    var steps = new ArrayList<Step>();
    for (int i = 0; i < drafts.size(); i++) {
      steps.add(
          switch (drafts.get(i)) {
            case Draft.Ready(Step step) -> step;
            case Draft.Jump jump ->
                new Step.Branch(
                    jump.word(),
                    jump.number(),
                    target(jump.less(), i),
                    target(jump.equal(), i),
                    target(jump.greater(), i));
          });
    }
    var places = new HashMap<Integer, String>();
    labels.forEach((label, place) -> places.merge(place, label, (a, b) -> a + ", " + b));
    return new Tape(name, steps, places, Math.max(1, words), presets);
  }

  private int target(@Nullable String label, int from) {
    if (label == null) {
      return from + 1;
    }
    Integer place = labels.get(label);
    if (place == null) {
      throw new IllegalStateException(name + ": label " + label + " is not placed");
    }
    return place;
  }
}
