package dev.regroup.style;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Which tests carry which rule numbers. A number counts where it says what a test is about: in its
 * name ({@code lifts_when_all_are_there_js118}), in the annotations and comments directly on it or
 * on its class, in the titles of recorded answers that a test replays, and in the {@code rules} of
 * a case table. A number inside a test's body does not count.
 */
final class CitedRules {

  private static final String OF_NODES =
      "API|ACT|COND|VAL|IMM|GATE|DEC|BKO|SEQ|TERM|RAC|CND|TPC|STS|PRB|HOOK|OBS|ACC";
  private static final String FAMILIES = OF_NODES + "|JB|BS|JS|AS";
  private static final Pattern NUMBER = Pattern.compile("\\b(?:" + FAMILIES + ")-\\d+[a-z]?\\b");
  private static final Pattern IN_A_NAME =
      Pattern.compile(
          "(?<=_|^)(?:(js|as|jb|bs)(\\d+[a-z]?)|(" + OF_NODES + ")_?(\\d\\d+[a-z]?))(?=_|$)",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern METHOD = Pattern.compile("^  (?:public )?(?:void|.*>) (\\w+)\\(.*");
  private static final Pattern TYPE = Pattern.compile("^(?:final )?class (\\w+).*");
  private static final Pattern TITLE = Pattern.compile("\"(?:about|title)\": *\"([^\"]*)\"");
  private static final Pattern CASE = Pattern.compile("(?m)^ *-? *rules: *\\[([^\\]]*)\\]");
  private static final List<String> TEST_MARKS =
      List.of("@Test", "@ParameterizedTest", "@TestFactory", "@RepeatedTest");

  private final Map<String, TreeSet<String>> tests = new TreeMap<>();

  /** Reads the test sources of every module under the root. */
  static CitedRules under(Path root) throws IOException {
    var cited = new CitedRules();
    List<Path> files;
    try (var walk = Files.walk(root)) {
      files =
          walk.filter(file -> root.relativize(file).toString().contains("src/test/"))
              .filter(file -> !root.relativize(file).toString().contains("target/"))
              .filter(Files::isRegularFile)
              .toList();
    }
    for (var file : files) {
      var name = file.getFileName().toString();
      if (name.endsWith("Test.java") || name.endsWith("IT.java")) {
        cited.readTests(name.substring(0, name.length() - ".java".length()), lines(file));
      } else if (name.endsWith(".json")) {
        cited.read(TITLE, name, Files.readString(file));
      } else if (name.endsWith(".yaml")) {
        cited.read(CASE, name, Files.readString(file));
      }
    }
    return cited;
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.readString(file).lines().toList();
  }

  void readTests(String type, List<String> lines) {
    var header = new ArrayList<String>();
    for (var line : lines) {
      var method = METHOD.matcher(line);
      var isTest = header.stream().anyMatch(CitedRules::marksATest);
      if (method.matches() && isTest) {
        var name = method.group(1);
        add(header, type + "." + name);
        IN_A_NAME.matcher(name).results().forEach(found -> add(number(found), type + "." + name));
      }
      if (TYPE.matcher(line).matches()) {
        add(header, type);
      }
      if (endsHeader(line)) {
        header.clear();
      } else {
        header.add(line);
      }
    }
  }

  /** {@code js118}, {@code val_26}, {@code RAC_55}. */
  private static String number(MatchResult found) {
    return found.group(1) != null
        ? found.group(1).toUpperCase(Locale.ROOT) + "-" + found.group(2)
        : found.group(3).toUpperCase(Locale.ROOT) + "-" + found.group(4);
  }

  private static boolean marksATest(String line) {
    return TEST_MARKS.stream().anyMatch(line.strip()::startsWith);
  }

  /** Whatever is no comment and no annotation, whole or in part. */
  private static boolean endsHeader(String line) {
    var text = line.strip();
    return text.isEmpty()
        || text.equals("}")
        || text.endsWith(";")
        || (text.endsWith("{") && !text.startsWith("@"));
  }

  private void read(Pattern place, String file, String text) {
    place.matcher(text).results().forEach(found -> add(List.of(found.group(1)), file));
  }

  private void add(List<String> header, String test) {
    header.forEach(
        line -> NUMBER.matcher(line).results().forEach(number -> add(number.group(), test)));
  }

  private void add(String number, String test) {
    tests.computeIfAbsent(number, _ -> new TreeSet<>()).add(test);
  }

  Map<String, TreeSet<String>> tests() {
    return tests;
  }

  boolean has(String number) {
    return tests.containsKey(number);
  }
}
