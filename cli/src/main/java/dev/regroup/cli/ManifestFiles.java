package dev.regroup.cli;

import dev.regroup.cli.Manifests.Manifest;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Parameters;

/** The files a command is about. */
final class ManifestFiles {

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Manifests in YAML or JSON; - is standard input.")
  List<Path> paths = List.of();

  /** What is in them, see {@link Manifests#read}. */
  List<Manifest> read() throws CliFailure {
    return Manifests.read(paths, System.in);
  }
}
