package dev.regroup.upstream;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One program that is left running. It writes to a log file of its own, can be killed and started
 * again with the same words, and is ended by whoever started it.
 */
public final class Daemon {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final String name;
  private final Path log;
  private final List<String> words;
  private @Nullable Process process;

  public Daemon(String name, Path logs, List<String> words) {
    this.name = name;
    this.log = logs.resolve(name + ".log");
    this.words = List.copyOf(words);
  }

  public Daemon start() throws IOException {
    var builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    // the shim is looked up in the path
    builder
        .environment()
        .merge(
            "PATH",
            words.getFirst(),
            (path, program) -> new File(program).getParent() + File.pathSeparator + path);
    process = builder.start();
    return this;
  }

  public boolean isAlive() {
    return process != null && process.isAlive();
  }

  public long pid() {
    return running().pid();
  }

  /** As the kernel ends a program that takes all memory. */
  public void kill() throws InterruptedException {
    running().destroyForcibly();
    running().waitFor();
  }

  /** Asks it to end, and insists after a while. */
  public void stop() throws InterruptedException {
    if (isAlive()) {
      running().destroy();
      if (!running().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        kill();
      }
    }
  }

  /** Its last lines, for whoever waits in vain. */
  public String lastWords() throws IOException {
    if (Files.notExists(log)) {
      return name + " said nothing";
    }
    var lines = Files.readAllLines(log);
    return name
        + ":\n"
        + String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
  }

  private Process running() {
    if (process == null) {
      throw new IllegalStateException(name + " was not started");
    }
    return process;
  }
}
