package dev.regroup.runtime.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Facts about the machine that no event announces: looked at until true or too late. */
public final class Facts {

  private Facts() {}

  public static boolean alive(int pid) {
    return Files.exists(Path.of("/proc/" + pid));
  }

  /** Alive, and does not only wait to be collected. */
  static boolean runs(int pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  public static boolean within(Duration patience, BooleanSupplier fact) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!fact.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      LockSupport.parkNanos(2_000_000);
    }
    return true;
  }
}
