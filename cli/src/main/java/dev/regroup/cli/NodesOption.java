package dev.regroup.cli;

import dev.regroup.cli.screen.CliFailure;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says how many nodes a cluster has. */
final class NodesOption {

  private static final int MOST = 100;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description =
          "How many nodes, each with its part of this machine's CPUs, memory and disk (default: as"
              + " many as the last time, at first 1). With fewer than before, what runs on the"
              + " others ends.")
  @Nullable Integer nodes;

  OptionalInt count() throws CliFailure {
    if (nodes == null) {
      return OptionalInt.empty();
    }
    if (nodes < 1 || nodes > MOST) {
      throw new CliFailure(
          CliFailure.Code.USAGE, "--nodes: must be 1 to %d, not %d".formatted(MOST, nodes), null);
    }
    return OptionalInt.of(nodes);
  }
}
