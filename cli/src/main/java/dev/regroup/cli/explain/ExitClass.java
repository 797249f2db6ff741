package dev.regroup.cli.explain;

import dev.regroup.rules.Exit;
import java.util.ArrayList;
import java.util.List;

/**
 * Exits that a manifest does not tell apart.
 *
 * @param codes the codes it names, ascending
 * @param reach whether codes that nobody names belong to it too
 * @param cause out of memory is a class of its own where a rule asks for it (COND-03)
 * @param afterRestarts 0, or the number of restarts from which on this holds (COND-02)
 */
record ExitClass(List<Integer> codes, Reach reach, Exit.Cause cause, int afterRestarts) {

  /** Which codes belong to a class beside those it lists. */
  enum Reach {
    LISTED,
    /** Every code that no other class of the container lists. */
    ANY_OTHER,
    /** There is no other class. */
    ANY
  }

  ExitClass {
    codes = List.copyOf(codes);
  }

  /** As the table shows it. */
  String text() {
    String text =
        switch (reach) {
          case LISTED -> listed();
          case ANY_OTHER -> "any other";
          case ANY -> "any";
        };
    String oom = cause == Exit.Cause.OUT_OF_MEMORY ? " (OOMKilled)" : "";
    return text + oom + (afterRestarts == 0 ? "" : ", from restart " + afterRestarts + " on");
  }

  private String listed() {
    var parts = new ArrayList<String>();
    for (int i = 0; i < codes.size(); ) {
      int end = i;
      while (end + 1 < codes.size() && codes.get(end + 1) == codes.get(end) + 1) {
        end++;
      }
      if (end - i >= 2) {
        parts.add(codes.get(i) + "-" + codes.get(end));
        i = end + 1;
      } else {
        parts.add(cause == Exit.Cause.OUT_OF_MEMORY ? "" + codes.get(i) : named(codes.get(i)));
        i++;
      }
    }
    return String.join(", ", parts);
  }

  /** The code, with the signal it stands for (DEC-04). */
  static String named(int code) {
    var signal = SignalNames.ofExitCode(code);
    return signal.isEmpty() ? "" + code : code + " (" + signal.get() + ")";
  }
}
