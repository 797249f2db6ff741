package dev.regroup.rules.pod;

import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.RestartCycle.Carried;
import dev.regroup.rules.pod.RestartCycle.Cause;
import dev.regroup.rules.pod.RestartCycle.SingleRestart;
import dev.regroup.rules.pod.RestartCycle.Source;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A {@link RestartCycle} as text, for the file it is kept in: one line per fact, fields separated
 * by spaces and escaped, last line {@code end}. A torn or foreign file is refused, never guessed
 * at.
 */
public final class CycleText {
  private static final String VERSION = "regroup-cycle 1";
  private static final String END = "end";

  private CycleText() {}

  public static String write(RestartCycle cycle) {
    var lines = new ArrayList<String>();
    lines.add(VERSION);
    lines.add(line("epoch", cycle.epoch()));
    lines.add(line("state", cycle.state()));
    lines.add(line("begun", cycle.begunAt()));
    lines.add(line("grace", cycle.grace()));
    lines.add(line("request", cycle.requestId()));
    lines.add(line("single", cycle.singleRestart().container(), cycle.singleRestart().attempt()));
    cycle.attempt().ifPresent(a -> lines.add(line("attempt", a)));
    lines.add(line("floor", cycle.attemptFloor()));
    new TreeSet<>(cycle.keep()).forEach(name -> lines.add(line("keep", name)));
    switch (cycle.cause()) {
      case Cause.None() -> {}
      case Cause.Exited(var sources) -> {
        for (var s : sources) {
          lines.add(line("source", s.container(), s.exitCode(), s.finishedAt(), s.rule()));
        }
      }
      case Cause.GroupOrder(int from, int to) -> lines.add(line("group", from, to));
      case Cause.Requested(String id, String reason) -> lines.add(line("requested", id, reason));
    }
    new TreeMap<>(cycle.carried()).forEach((name, carried) -> lines.add(carried(name, carried)));
    lines.add(END);
    return String.join("\n", lines) + "\n";
  }

  private static String carried(String name, Carried carried) {
    var last = carried.last();
    return line(
        "carried",
        name,
        carried.shown(),
        carried.next(),
        last.exitCode(),
        last.reason(),
        last.message(),
        last.startedAt(),
        last.finishedAt(),
        last.containerId());
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException when the text is not complete or not of this form
   */
  public static RestartCycle read(String text) {
    var lines = text.split("\n", -1);
    if (lines.length < 3 || !lines[0].equals(VERSION) || !lines[lines.length - 2].equals(END)) {
      throw new IllegalArgumentException("cycle record: not complete (first and last line)");
    }
    var reader = new Reader();
    for (int index = 1; index < lines.length - 2; index++) {
      reader.line(List.of(lines[index].split(" ", -1)));
    }
    return reader.cycle();
  }

  private static final class Reader {
    private final Map<String, List<String>> single = new HashMap<>();
    private final List<Source> sources = new ArrayList<>();
    private final Set<String> keep = new HashSet<>();
    private final Map<String, Carried> carried = new HashMap<>();

    void line(List<String> fields) {
      var values = fields.stream().skip(1).map(CycleText::unescape).toList();
      switch (fields.getFirst()) {
        case "source" ->
            sources.add(
                new Source(
                    values.get(0),
                    Integer.parseInt(values.get(1)),
                    Instant.parse(values.get(2)),
                    Integer.parseInt(values.get(3))));
        case "keep" -> keep.add(values.get(0));
        case "carried" -> carried.put(values.get(0), carried(values));
        default -> single.put(fields.getFirst(), values);
      }
    }

    private static Carried carried(List<String> values) {
      return new Carried(
          Integer.parseInt(values.get(1)),
          Integer.parseInt(values.get(2)),
          new Terminated(
              Integer.parseInt(values.get(3)),
              values.get(4),
              values.get(5),
              Instant.parse(values.get(6)),
              Instant.parse(values.get(7)),
              new ContainerId(values.get(8))));
    }

    RestartCycle cycle() {
      return new RestartCycle(
          number("epoch", 0),
          RestartCycle.State.valueOf(one("state", 0)),
          cause(),
          Instant.parse(one("begun", 0)),
          keep,
          Duration.parse(one("grace", 0)),
          one("request", 0),
          new SingleRestart(one("single", 0), number("single", 1)),
          single.containsKey("attempt")
              ? OptionalInt.of(number("attempt", 0))
              : OptionalInt.empty(),
          number("floor", 0),
          carried);
    }

    private Cause cause() {
      if (!sources.isEmpty()) {
        return new Cause.Exited(sources);
      }
      if (single.containsKey("group")) {
        return new Cause.GroupOrder(number("group", 0), number("group", 1));
      }
      return single.containsKey("requested")
          ? new Cause.Requested(one("requested", 0), one("requested", 1))
          : new Cause.None();
    }

    private int number(String key, int index) {
      return Integer.parseInt(one(key, index));
    }

    private String one(String key, int index) {
      var values = single.getOrDefault(key, List.of());
      if (values.size() <= index) {
        throw new IllegalArgumentException("cycle record: no value for " + key);
      }
      return values.get(index);
    }
  }

  private static String line(String key, Object... values) {
    var line = new StringBuilder(key);
    for (var value : values) {
      line.append(' ').append(escape(value.toString()));
    }
    return line.toString();
  }

  /** Spaces, line breaks and the escape sign itself are written as {@code %} and their code. */
  private static String escape(String text) {
    var escaped = new StringBuilder();
    for (int index = 0; index < text.length(); index++) {
      char c = text.charAt(index);
      if (c <= ' ' || c == '%') {
        escaped.append('%').append("%04x".formatted((int) c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  private static String unescape(String text) {
    var plain = new StringBuilder();
    for (int index = 0; index < text.length(); index++) {
      char c = text.charAt(index);
      if (c == '%') {
        plain.append((char) Integer.parseInt(text.substring(index + 1, index + 5), 16));
        index += 4;
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }
}
