package dev.regroup.cli.explain;

import static java.util.Objects.requireNonNull;

import dev.regroup.rules.Exit;
import java.util.Optional;

/**
 * A question about one exit: {@code worker=42}, {@code worker=SIGKILL}, {@code worker=OOMKilled}.
 */
public record ExitQuestion(String container, Exit exit) {

  private static final int OOM_CODE = 137;

  public ExitQuestion {
    requireNonNull(container, "container");
    requireNonNull(exit, "exit");
  }

  public static Optional<ExitQuestion> parse(String text) {
    int equals = text.indexOf('=');
    if (equals <= 0 || equals == text.length() - 1) {
      return Optional.empty();
    }
    return exit(text.substring(equals + 1))
        .map(exit -> new ExitQuestion(text.substring(0, equals), exit));
  }

  private static Optional<Exit> exit(String word) {
    if (word.equals("OOMKilled")) {
      return Optional.of(new Exit(OOM_CODE, Exit.Cause.OUT_OF_MEMORY, 0));
    }
    var signal = SignalNames.exitCode(word);
    if (signal.isPresent()) {
      return Optional.of(Exit.of(signal.getAsInt()));
    }
    return word.matches("[0-9]{1,3}") && Integer.parseInt(word) <= 255
        ? Optional.of(Exit.of(Integer.parseInt(word)))
        : Optional.empty();
  }
}
