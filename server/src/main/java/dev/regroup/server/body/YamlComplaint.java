package dev.regroup.server.body;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Where a text is no YAML, in the words of the library that Kubernetes uses. */
final class YamlComplaint {

  private static final Pattern ALIAS = Pattern.compile("found undefined alias (\\S+)");

  /** How ours begins, and what the other says of it. */
  private static final Map<String, String> WORDS =
      Map.of(
          "expected the node content", "did not find expected node content",
          "mapping values are not allowed", "mapping values are not allowed in this context",
          "expected ',' or ']'", "did not find expected ',' or ']'",
          "expected ',' or '}'", "did not find expected ',' or '}'");

  private YamlComplaint() {}

  static String of(YamlEngineException problem) {
    if (problem instanceof MarkedYamlEngineException marked && marked.getProblem() != null) {
      var alias = ALIAS.matcher(marked.getProblem());
      if (alias.lookingAt()) {
        return "unknown anchor '" + alias.group(1) + "' referenced";
      }
      for (var word : WORDS.entrySet()) {
        if (marked.getProblem().startsWith(word.getKey())) {
          return line(marked.getProblemMark()) + word.getValue();
        }
      }
    }
    return String.valueOf(problem.getMessage()).lines().findFirst().orElse("cannot be read");
  }

  /** Lines are counted from nothing there; the first is not named. */
  private static String line(Optional<Mark> mark) {
    int line = mark.map(Mark::getLine).orElse(0);
    return line == 0 ? "" : "line " + line + ": ";
  }
}
