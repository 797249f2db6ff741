package dev.regroup.cli;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.server.resource.JobSets;
import picocli.CommandLine.Option;

/** Whether JobSet is built in, or left to a definition and a controller of the user's. */
final class JobSetOption {

  @Option(
      names = "--jobset",
      paramLabel = "on|off",
      description =
          "off leaves JobSet to somebody else: apply its CustomResourceDefinition and run its"
              + " controller (default: on).",
      defaultValue = "on")
  String jobSet = "on";

  JobSets chosen() throws CliFailure {
    return switch (jobSet) {
      case "on" -> JobSets.BUILT_IN;
      case "off" -> JobSets.LEFT_OUT;
      default ->
          throw new CliFailure(
              CliFailure.Code.USAGE,
              "--jobset: unknown value \"" + jobSet + "\" (on or off)",
              null);
    };
  }
}
