package dev.regroup.runtime.seccomp;

import dev.regroup.runtime.linux.Architecture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

/** The calls of Linux by name, from {@code calls.txt}. */
final class CallTable {

  static final List<Call> CALLS = read();

  /**
   * A call.
   *
   * @param may who may make it under {@link DefaultProfile}, as the table spells it
   */
  record Call(String name, OptionalInt x86, OptionalInt arm, String may) {
    OptionalInt number(Architecture architecture) {
      return switch (architecture) {
        case X86_64 -> x86;
        case ARM64 -> arm;
      };
    }
  }

  private CallTable() {}

  private static List<Call> read() {
    try (var in = Objects.requireNonNull(CallTable.class.getResourceAsStream("calls.txt"))) {
      var calls = new ArrayList<Call>();
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
        if (!line.isEmpty() && !line.startsWith("#")) {
          String[] columns = line.split(" ", 4);
          calls.add(new Call(columns[0], number(columns[1]), number(columns[2]), columns[3]));
        }
      }
      return List.copyOf(calls);
    } catch (IOException e) {
      throw new UncheckedIOException("the table of system calls", e);
    }
  }

  private static OptionalInt number(String column) {
    return column.equals("-") ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(column));
  }
}
