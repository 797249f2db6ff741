package dev.regroup.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Which kubeconfig a command works on. */
final class KubeConfigs {

  private KubeConfigs() {}

  static KubeConfigFile chosen(@Nullable Path named) {
    return named != null
        ? new KubeConfigFile(named)
        : KubeConfigFile.ofUser(System.getenv(), Caller.get().home());
  }
}
