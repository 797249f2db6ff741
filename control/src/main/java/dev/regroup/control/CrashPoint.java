package dev.regroup.control;

/**
 * A place where a test may end the whole program at once, as {@code kill -9} would. Reached before
 * and after every effect of the Job and JobSet controllers; does nothing in production. The name is
 * {@code before-} or {@code after-} and the effect, for example {@code before-order}.
 */
@FunctionalInterface
public interface CrashPoint {

  CrashPoint NONE = _ -> {};

  void reach(String name);
}
