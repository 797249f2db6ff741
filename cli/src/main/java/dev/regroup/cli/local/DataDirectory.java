package dev.regroup.cli.local;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where a cluster keeps its objects and pods. */
public final class DataDirectory {

  private DataDirectory() {}

  public static Path of(@Nullable Path named) {
    return named != null
        ? named.toAbsolutePath().normalize()
        : standard(System.getenv(), Path.of(System.getProperty("user.home")));
  }

  static Path standard(Map<String, String> environment, Path home) {
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    return (state.isEmpty() ? home.resolve(".local/state") : Path.of(state)).resolve("regroup");
  }
}
