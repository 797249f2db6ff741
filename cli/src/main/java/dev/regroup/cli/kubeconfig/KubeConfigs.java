package dev.regroup.cli.kubeconfig;

import dev.regroup.cli.screen.CliFailure;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Which kubeconfig a command works on. */
public final class KubeConfigs {

  private KubeConfigs() {}

  public static KubeConfigFile chosen(@Nullable Path named) {
    return named != null
        ? new KubeConfigFile(named)
        : KubeConfigFile.ofUser(System.getenv(), Caller.get().home());
  }

  /** How a command reaches a cluster: by the file it names, or the one kubectl uses. */
  public static KubeAccess access(@Nullable Path named, @Nullable String context)
      throws CliFailure {
    return KubeConfigTree.read(chosen(named).path()).access(context);
  }

  /** The same for a program that may run in a pod, where it needs no file. */
  public static KubeAccess accessHereOr(@Nullable Path named, @Nullable String context)
      throws CliFailure {
    return named == null && context == null && KubeAccess.isInPod(System.getenv())
        ? KubeAccess.ofPod(System.getenv())
        : access(named, context);
  }
}
