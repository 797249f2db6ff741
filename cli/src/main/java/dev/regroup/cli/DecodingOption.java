package dev.regroup.cli;

import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.cli.screen.CliFailure;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether the proposals' draft spellings are read (ACT-11); follows the gates unless set. */
final class DecodingOption {

  @Option(
      names = "--decoding",
      paramLabel = "lenient|strict",
      description =
          "Read the spellings of early proposals as well, or only what Kubernetes knows"
              + " (default: lenient, strict with --gates=upstream).")
  @Nullable String decoding;

  /** The gates with what this option says; without it they decide themselves. */
  Gates apply(Gates gates) throws CliFailure {
    return gates.with(decoding(gates));
  }

  Decoding decoding(Gates gates) throws CliFailure {
    if (decoding == null) {
      return gates.decoding();
    }
    try {
      return Decoding.valueOf(decoding.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new CliFailure(
          CliFailure.Code.USAGE,
          "--decoding: unknown value \"" + decoding + "\" (lenient or strict)",
          e);
    }
  }
}
