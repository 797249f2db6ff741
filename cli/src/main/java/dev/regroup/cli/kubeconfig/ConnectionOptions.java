package dev.regroup.cli.kubeconfig;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiFailure;
import java.io.IOException;
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

  /** What to say when nobody answers there. */
  public static CliFailure noAnswer(IOException e) {
    return new CliFailure(
        "the cluster does not answer: %s (is it up? 'regroup up' starts one here, --context or"
                .formatted(e.getMessage())
            + " --kubeconfig name another)",
        e);
  }

  /** What to say when it answers a question about JobSets with an error. */
  public static CliFailure refusal(ApiFailure e) {
    return new CliFailure(
        e.notFound() // one that is not there is no error
            ? "this cluster knows no JobSets (regroup install brings them)"
            : "the server says: " + e.getMessage(),
        e);
  }

  /** How to reach it. */
  public KubeAccess access() throws CliFailure {
    return KubeConfigs.access(kubeconfig, context);
  }
}
