package dev.regroup.cli;

import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.cli.image.AgentImage;
import dev.regroup.cli.image.ControllerImage;
import dev.regroup.cli.local.RunDirectory;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import dev.regroup.cli.screen.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup image}: container images for a cluster, made on this machine alone. */
@Command(
    name = "image",
    description = {
      "Writes the image of the agent or of the controller to a file.",
      "",
      "Needs no Docker and no network: the image holds this Java cut to size, the C library it"
          + " runs with and Regroup. The file can be imported by containerd and Docker; it is for"
          + " machines of the same architecture as this one."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:written", "1:failed", "2:wrong usage"},
    footer = {
      "  regroup image agent --output agent.tar",
      "  regroup image controller --output controller.tar"
    })
final class ImageCommand implements Callable<Integer> {

  private static final String CONTROLLER = "regroup.dev/controller:v1";

  /** What can be made into an image. */
  enum Part {
    agent,
    controller
  }

  @Parameters(paramLabel = "agent|controller", description = "What the image is of.")
  @Nullable Part part;

  @Option(
      names = {"--output", "-o"},
      required = true,
      paramLabel = "FILE",
      description = "The file to write, replaced if it is there.")
  @Nullable Path output;

  @Option(
      names = "--tag",
      paramLabel = "NAME:TAG",
      description =
          "The name of the image (agent: "
              + AgentSettings.IMAGE
              + ", controller: "
              + CONTROLLER
              + ").")
  @Nullable String tag;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    if (part == null || output == null) {
      throw new CliFailure(CliFailure.Code.USAGE, "say which image and where to write it", null);
    }
    Path file = output.toAbsolutePath();
    String name = tag == null ? (part == Part.agent ? AgentSettings.IMAGE : CONTROLLER) : tag;
    if (name.lastIndexOf(':') <= name.lastIndexOf('/')) {
      throw new CliFailure(
          CliFailure.Code.USAGE, "--tag: must end with :TAG, got \"" + name + "\"", null);
    }
    try (var directory = RunDirectory.make()) {
      Path scratch = Files.createDirectories(directory.data());
      switch (part) {
        case agent -> AgentImage.write(scratch, file, name);
        case controller -> ControllerImage.write(scratch, file, name);
      }
      Screen.out(spec)
          .println(
              String.format(
                  Locale.ROOT, "%s: %s, %.1f MB", output, name, Files.size(file) / 1_000_000.0));
    } catch (IOException e) {
      throw new CliFailure("no image: " + Reason.of(e), e);
    }
    return 0;
  }
}
