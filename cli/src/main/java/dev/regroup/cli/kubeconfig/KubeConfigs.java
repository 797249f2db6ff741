package dev.regroup.cli.kubeconfig;

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
}
