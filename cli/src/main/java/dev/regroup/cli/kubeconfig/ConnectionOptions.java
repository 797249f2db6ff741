package dev.regroup.cli.kubeconfig;

import dev.regroup.cli.screen.CliFailure;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which cluster a command speaks to. */
public final class ConnectionOptions {

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "How to reach the cluster (default: what kubectl uses).")
  public @Nullable Path kubeconfig;

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "A context of the kubeconfig (default: the current one).")
  public @Nullable String context;

  /** How to reach it. */
  public KubeAccess access() throws CliFailure {
    return KubeConfigs.access(kubeconfig, context);
  }
}
