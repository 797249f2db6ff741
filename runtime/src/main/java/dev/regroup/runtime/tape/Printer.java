package dev.regroup.runtime.tape;

import java.util.stream.Collectors;

/** Writes a tape as text: one line per record, labels on lines of their own. */
final class Printer {

  private final Tape tape;

  Printer(Tape tape) {
    this.tape = tape;
  }

  String text() {
    var out = new StringBuilder();
    for (int i = 0; i < tape.steps().size(); i++) {
      String label = tape.labels().get(i);
      if (label != null) {
        out.append(label).append(":\n");
      }
      out.append("%4d  %s\n".formatted(i, line(tape.steps().get(i), i)));
    }
    return out.toString();
  }

  private String line(Step step, int at) {
    return switch (step) {
      case Step.Call call -> call(call);
      case Step.Branch branch -> branch(branch, at);
    };
  }

  static String call(Step.Call call) {
    return call.call().title()
        + call.args().stream().map(Printer::arg).collect(Collectors.joining(", ", "(", ")"));
  }

  private String branch(Step.Branch branch, int at) {
    if (branch.less() == branch.equal() && branch.equal() == branch.greater()) {
      return "  go " + name(branch.less());
    }
    var text = new StringBuilder("  if ").append(branch.word().name());
    append(text, "<", branch.number(), branch.less(), at);
    append(text, "=", branch.number(), branch.equal(), at);
    append(text, ">", branch.number(), branch.greater(), at);
    return text.toString();
  }

  private void append(StringBuilder text, String sign, long number, int target, int at) {
    if (target != at + 1) {
      text.append(' ').append(sign).append(' ').append(number).append(" go ").append(name(target));
    }
  }

  private String name(int target) {
    if (target == Step.NEXT_TAPE) {
      return "next tape";
    }
    String label = tape.labels().get(target);
    return label == null ? Integer.toString(target) : label;
  }

  private static String arg(Arg arg) {
    return switch (arg) {
      case Arg.Value value -> value.shown();
      case Arg.Text text -> quoted(text.value());
      case Arg.Bytes bytes -> bytes.shown();
      case Arg.Pointing pointing -> pointing.shown();
      case Arg.Filter filter -> "{" + filter.shown() + "}";
      case Arg.Word word -> "&" + word.name();
      case Arg.ReportSize _ -> "sizeof report";
      case Arg.Texts list ->
          switch (list.shown()) {
            case VALUES ->
                list.values().stream()
                    .map(Printer::quoted)
                    .collect(Collectors.joining(", ", "[", "]"));
            case COUNT -> "[%d values]".formatted(list.values().size());
          };
    };
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
