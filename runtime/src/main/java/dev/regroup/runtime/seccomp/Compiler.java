package dev.regroup.runtime.seccomp;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.seccomp.Profile.Clause;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Turns a profile into instructions.
 *
 * <ol>
 *   <li>Calls of another architecture kill: their numbers mean something else.
 *   <li>Neighbouring call numbers with the same clauses become one range.
 *   <li>The ranges become a tree of comparisons, so a call costs about seven of them.
 *   <li>At a leaf the clauses follow, usually one: return the verdict.
 * </ol>
 *
 * <p>Numbers above those we know are newer than the profile: they fail with ENOSYS where the
 * profile refuses, so that libraries go back to what they did before. The same goes for the x32
 * calls of x86-64, always: they are known calls under other numbers.
 */
final class Compiler {

  private static final int CALL_NUMBER_AT = 0;
  private static final int ARCHITECTURE_AT = 4;
  private static final int X32 = 0x4000_0000;

  /** Numbers from {@code first} to the next range's. */
  private record Range(int first, List<Clause> clauses) {}

  private Compiler() {}

  static List<Instruction> compile(Profile profile, Architecture architecture) {
    int own =
        switch (architecture) {
          case X86_64 -> 0xc000_003e;
          case ARM64 -> 0xc000_00b7;
        };
    var code = new ArrayList<Instruction>();
    code.add(Instruction.load(ARCHITECTURE_AT));
    code.add(Instruction.ifEqual(own, 1, 0));
    code.add(Instruction.give(FilterVerdict.KILL_PROCESS));
    code.add(Instruction.load(CALL_NUMBER_AT));
    code.addAll(tree(ranges(profile, architecture)));
    return code;
  }

  private static List<Range> ranges(Profile profile, Architecture architecture) {
    var unnamed = List.of(new Clause(List.of(), profile.otherwise()));
    var known = new TreeMap<Integer, List<Clause>>();
    for (var call : CallTable.CALLS) {
      call.number(architecture).ifPresent(n -> known.put(n, profile.clauses(call.name())));
    }
    var ranges = new ArrayList<Range>();
    for (int number = 0; number <= known.lastKey(); number++) {
      add(ranges, number, known.getOrDefault(number, unnamed));
    }
    var unknown = List.of(new Clause(List.of(), FilterVerdict.UNKNOWN_CALL));
    add(ranges, known.lastKey() + 1, profile.otherwise().isError() ? unknown : unnamed);
    add(ranges, X32, unknown);
    return ranges;
  }

  private static void add(List<Range> ranges, int first, List<Clause> clauses) {
    if (ranges.isEmpty() || !ranges.getLast().clauses().equals(clauses)) {
      ranges.add(new Range(first, clauses));
    }
  }

  private static List<Instruction> tree(List<Range> ranges) {
    if (ranges.size() == 1) {
      return leaf(ranges.getFirst().clauses());
    }
    int middle = ranges.size() / 2;
    var lower = tree(ranges.subList(0, middle));
    var upper = tree(ranges.subList(middle, ranges.size()));
    int bound = ranges.get(middle).first();
    var code = new ArrayList<Instruction>();
    if (lower.size() <= Instruction.FAR) {
      code.add(Instruction.ifGreaterOrEqual(bound, lower.size(), 0));
    } else {
      code.add(Instruction.ifGreaterOrEqual(bound, 0, 1));
      code.add(Instruction.jump(lower.size()));
    }
    code.addAll(lower);
    code.addAll(upper);
    return code;
  }

  private static List<Instruction> leaf(List<Clause> clauses) {
    var code = new ArrayList<Instruction>();
    for (var clause : clauses) {
      List<Instruction> rest = List.of(Instruction.give(clause.verdict()));
      for (var condition : clause.conditions().reversed()) {
        var both = new ArrayList<>(condition.code(rest.size()));
        both.addAll(rest);
        rest = both;
      }
      code.addAll(rest);
    }
    return code;
  }
}
