package dev.regroup.cli.manifest;

import dev.regroup.cli.manifest.Manifests.Manifest;
import dev.regroup.cli.screen.CliFailure;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Parameters;

/** The files a command is about. */
public final class ManifestFiles {

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Manifests in YAML or JSON; - is standard input.")
  public List<Path> paths = List.of();

  /** What is in them, see {@link Manifests#read}. */
  public List<Manifest> read() throws CliFailure {
    return Manifests.read(paths, System.in);
  }
}
