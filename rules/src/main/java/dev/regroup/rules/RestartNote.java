package dev.regroup.rules;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why all containers of a pod restarted, as the node writes it down for people in the condition and
 * in the end of every victim (node.md CND-11, RAC-31), and as the group reads it there again.
 * Whatever another node wrote reads as {@link Other}.
 */
public sealed interface RestartNote {

  /** A container's exit matched a rule; {@code more} others' did at the same time. */
  record Exited(String container, int code, int more) implements RestartNote {}

  /** The group moved on (JS-165a). */
  record Ordered(int from, int to) implements RestartNote {}

  record Asked(String request, String reason) implements RestartNote {}

  /** Not of our making. */
  record Other() implements RestartNote {}

  Pattern EXITED =
      Pattern.compile(
          "Container (\\S+) exited with code (-?\\d{1,9}), triggering pod restart"
              + "(?: \\(and (\\d{1,9}) more\\))?.*");
  Pattern ORDERED =
      Pattern.compile("Pod is at attempt (\\d{1,9}), the group moves on to (\\d{1,9})");
  Pattern ASKED = Pattern.compile("Request (.*?): (.*)", Pattern.DOTALL);

  default String text() {
    return switch (this) {
      case Exited(String container, int code, int more) -> {
        var text =
            "Container %s exited with code %d, triggering pod restart".formatted(container, code);
        yield more == 0 ? text : text + " (and " + more + " more)";
      }
      case Ordered(int from, int to) ->
          "Pod is at attempt " + from + ", the group moves on to " + to;
      case Asked(String request, String reason) -> "Request " + request + ": " + reason;
      case Other() -> "";
    };
  }

  static RestartNote read(String text) {
    var exited = EXITED.matcher(text);
    if (exited.matches()) {
      return new Exited(exited.group(1), number(exited, 2), number(exited, 3));
    }
    var ordered = ORDERED.matcher(text);
    if (ordered.matches()) {
      return new Ordered(number(ordered, 1), number(ordered, 2));
    }
    var asked = ASKED.matcher(text);
    return asked.matches() ? new Asked(asked.group(1), asked.group(2)) : new Other();
  }

  private static int number(Matcher match, int group) {
    var text = match.group(group);
    return text == null ? 0 : Integer.parseInt(text);
  }
}
