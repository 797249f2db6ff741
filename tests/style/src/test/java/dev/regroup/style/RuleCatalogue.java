package dev.regroup.style;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Every rule number of the specifications with the module that decides it, or with the reason why
 * no test can carry it. Read from {@code rules.txt} beside this class.
 */
record RuleCatalogue(SequencedMap<String, String> states) {

  private static final Set<String> MODULES =
      Set.of("rules", "api", "server", "node", "control", "runtime", "agent", "cli");

  static RuleCatalogue read() {
    return of(lines("rules.txt"));
  }

  /** Known gaps in a module that must have none. Only ever gets shorter. */
  static List<String> notYet() {
    return lines("rules-not-yet.txt").stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .flatMap(line -> Stream.of(line.strip().split(" ")))
        .toList();
  }

  private static List<String> lines(String file) {
    try (var text = RuleCatalogue.class.getResourceAsStream(file)) {
      if (text == null) {
        throw new IllegalStateException(file + ": not beside " + RuleCatalogue.class);
      }
      return new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static RuleCatalogue of(List<String> lines) {
    var states = new LinkedHashMap<String, String>();
    for (var line : lines) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      var parts = line.strip().split(" ", 2);
      if (parts.length < 2 || !(parts[1].startsWith("- ") || MODULES.contains(parts[1]))) {
        throw new IllegalArgumentException(line + ": no module and no reason");
      }
      for (var number : numbers(parts[0])) {
        if (states.put(number, parts[1]) != null) {
          throw new IllegalArgumentException(number + ": listed twice");
        }
      }
    }
    return new RuleCatalogue(states);
  }

  /** {@code DEC-01..03} is three numbers of the same width, {@code JS-28a..28c} three letters. */
  private static List<String> numbers(String text) {
    int dots = text.indexOf("..");
    if (dots < 0) {
      return List.of(text);
    }
    var prefix = text.substring(0, text.indexOf('-') + 1);
    var first = text.substring(prefix.length(), dots);
    var last = text.substring(dots + 2);
    var numbers = new ArrayList<String>();
    if (Character.isLetter(first.charAt(first.length() - 1))) {
      var stem = first.substring(0, first.length() - 1);
      for (char c = first.charAt(first.length() - 1); c <= last.charAt(last.length() - 1); c++) {
        numbers.add(prefix + stem + c);
      }
      return numbers;
    }
    for (int n = Integer.parseInt(first); n <= Integer.parseInt(last); n++) {
      var digits = Integer.toString(n);
      numbers.add(prefix + "0".repeat(Math.max(0, first.length() - digits.length())) + digits);
    }
    return numbers;
  }

  boolean knows(String number) {
    return states.containsKey(number);
  }

  List<String> decidedIn(String module) {
    return states.entrySet().stream()
        .filter(entry -> entry.getValue().equals(module))
        .map(Map.Entry::getKey)
        .toList();
  }

  List<String> withoutATest() {
    return states.entrySet().stream()
        .filter(entry -> entry.getValue().startsWith("- "))
        .map(Map.Entry::getKey)
        .toList();
  }
}
