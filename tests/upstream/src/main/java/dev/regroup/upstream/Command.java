package dev.regroup.upstream;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Short programs of the machine, and facts about it that no event announces. */
public final class Command {

  private Command() {}

  /** Runs it to its end and returns what it printed; fails when it does. */
  public static String run(Duration limit, String... words)
      throws IOException, InterruptedException {
    return run(limit, List.of(words));
  }

  public static String run(Duration limit, List<String> words)
      throws IOException, InterruptedException {
    var file = Files.createTempFile("regroup-command-", ".txt");
    var process =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(file.toFile()).start();
    if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      process.destroyForcibly();
      throw new IOException(words + ": not done after " + limit);
    }
    var output = Files.readString(file);
    Files.delete(file);
    if (process.exitValue() != 0) {
      throw new IOException("%s ended with %d:%n%s".formatted(words, process.exitValue(), output));
    }
    return output;
  }

  public static void await(String what, Duration limit, BooleanSupplier fact) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!fact.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited in vain for " + what + ", " + limit);
      }
      LockSupport.parkNanos(20_000_000);
    }
  }
}
