package dev.regroup.client.crash;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A place where a test may end the whole program at once, as {@code kill -9} would. Reached before
 * and after every effect; does nothing in production. The name is {@code before-} or {@code after-}
 * and the effect, for example {@code before-remember}.
 */
@FunctionalInterface
public interface CrashPoint {

  CrashPoint NONE = _ -> {};

  void reach(String name);

  /** The one that the environment of this program names, for tests that kill it. */
  static CrashPoint ofEnvironment() {
    return parse(System.getenv().getOrDefault("REGROUP_CRASH_AT", ""));
  }

  /**
   * Reads {@code <name>} or {@code <name>#<n>}: end the program when that point is reached for the
   * n-th time. {@code @<folder>} asks a {@link CrashFolder} each time. An empty text means never.
   */
  static CrashPoint parse(String setting) {
    if (setting.isEmpty()) {
      return NONE;
    }
    if (setting.startsWith("@")) {
      return new CrashFolder(Path.of(setting.substring(1)));
    }
    int hash = setting.indexOf('#');
    var name = hash < 0 ? setting : setting.substring(0, hash);
    int times = hash < 0 ? 1 : Integer.parseInt(setting.substring(hash + 1));
    var left = new AtomicInteger(times);
    return reached -> {
      if (reached.equals(name) && left.decrementAndGet() == 0) {
        Runtime.getRuntime().halt(137); // no hook, no finally: nothing may be tidied up
      }
    };
  }
}
