package dev.regroup.cli.chaos;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --chaos}: how the workers of a run are hurt. */
public final class ChaosOption {

  @Option(
      names = "--chaos",
      paramLabel = "PLAN",
      description =
          "Hurt the workers on the way: 'kill worker 2 after 10s; stop worker 0 at step 200 for"
              + " 5s', or 'random 5 over 60s seed 7'; @FILE reads it from a file (see: regroup"
              + " chaos --help).")
  @Nullable String chaos;

  /** As it was written, for a command that passes it on. */
  public Optional<String> text() {
    return Optional.ofNullable(chaos);
  }

  /** What it says, if it was given. */
  public Optional<ChaosPlan> plan() throws CliFailure {
    return chaos == null ? Optional.empty() : Optional.of(read(chaos));
  }

  /** A plan, or {@code @} and the file it is in. */
  static ChaosPlan read(String text) throws CliFailure {
    if (!text.startsWith("@")) {
      return PlanText.read(text);
    }
    Path file = Path.of(text.substring(1));
    try {
      return PlanText.read(Files.readString(file));
    } catch (IOException e) {
      throw new CliFailure(file + ": cannot be read: " + Reason.of(e), e);
    }
  }
}
