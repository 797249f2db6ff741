package dev.regroup.cli;

import dev.regroup.api.Gates;
import dev.regroup.cli.screen.CliFailure;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Option;

/** The options that set feature gates (GATE-09), shared by the commands that start or check. */
final class GateOptions {

  @Option(
      names = "--gates",
      paramLabel = "product|upstream",
      description =
          "Defaults of the feature gates: Regroup's own, or exactly those of Kubernetes 1.36"
              + " (default: product).",
      defaultValue = "product")
  String preset = "product";

  @Option(
      names = "--feature-gates",
      paramLabel = "GATE=true|false,...",
      description =
          "Single gates on top of the defaults; 'regroup gates' lists them. The prefix server/,"
              + " node/ or control/ sets a gate for that part only.",
      defaultValue = "")
  String single = "";

  Gates gates(PrintWriter err) throws CliFailure {
    try {
      var gates = Gates.of(Gates.Preset.valueOf(preset.toUpperCase(Locale.ROOT))).with(single);
      gates.warnings().forEach(warning -> err.println("regroup: warning: " + warning));
      return gates.gates();
    } catch (IllegalArgumentException e) {
      boolean unknown = !preset.equals("product") && !preset.equals("upstream");
      throw new CliFailure(
          CliFailure.Code.USAGE,
          unknown
              ? "--gates: unknown value \"" + preset + "\" (product or upstream)"
              : "--feature-gates: " + e.getMessage(),
          e);
    }
  }
}
