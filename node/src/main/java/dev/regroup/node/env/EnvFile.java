package dev.regroup.node.env;

import java.util.Optional;

/**
 * A file of variables, as {@code fileKeyRef} reads it: lines {@code NAME='value'}, where a value
 * may go on over several lines, blank lines and comments. Pure.
 */
public final class EnvFile {

  private final String[] lines;
  private int at;

  private EnvFile(String text) {
    this.lines = text.lines().toArray(String[]::new);
  }

  /** The value of the first line with this name; an empty one counts as none. */
  public static Optional<String> value(String text, String name) throws ConfigFailure {
    return new EnvFile(text).find(name).filter(value -> !value.isEmpty());
  }

  private Optional<String> find(String name) throws ConfigFailure {
    for (at = 0; at < lines.length; at++) {
      var line = lines[at].replaceFirst("^[ \t]+", "");
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int equals = line.indexOf('=');
      if (equals < 1 || Character.isWhitespace(line.charAt(equals - 1))) {
        throw unreadable();
      }
      var value = value(line.substring(equals + 1));
      if (line.substring(0, equals).equals(name)) {
        return Optional.of(value);
      }
    }
    return Optional.empty();
  }

  /** What stands behind the sign; a space there ends the value before it began, as in a shell. */
  private String value(String rest) throws ConfigFailure {
    if (rest.startsWith(" ") || rest.startsWith("\t")) {
      return "";
    }
    if (!rest.startsWith("'")) {
      throw unreadable();
    }
    var value = new StringBuilder();
    var part = rest.substring(1);
    int end = part.indexOf('\'');
    while (end < 0) {
      value.append(part).append('\n');
      if (++at == lines.length) {
        throw unreadable();
      }
      part = lines[at];
      end = part.indexOf('\'');
    }
    var behind = part.substring(end + 1).replaceFirst("^[ \t]+", "");
    if (!behind.isEmpty() && !behind.startsWith("#")) {
      throw unreadable();
    }
    return value.append(part, 0, end).toString();
  }

  public static ConfigFailure unreadable() {
    return new ConfigFailure("couldn't parse env file");
  }
}
