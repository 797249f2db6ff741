package dev.regroup.cli.compare;

import dev.regroup.cli.run.InterruptSignals;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.runtime.process.ProcessList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Starts this program again as {@code regroup run}: the second run finds no warmer a program than
 * the first. Ctrl-C reaches the run by itself, as the terminal sends it to all; other signals are
 * passed on.
 */
final class RunProcess {

  /** Who sees what the run shows. */
  enum Show {
    /** The terminal is the run's while it lasts. */
    EVERYTHING,
    /** Lines about the run, but not the output of its containers. */
    STORY
  }

  private final List<String> program;
  private final AtomicReference<@Nullable Process> now = new AtomicReference<>();
  private volatile boolean interrupted;

  private RunProcess(List<String> program) {
    this.program = program;
    InterruptSignals.on("INT", () -> interrupted = true);
    for (String signal : List.of("TERM", "HUP")) {
      InterruptSignals.on(signal, this::passOn);
    }
  }

  /**
   * @param command the word this program was called with
   */
  static RunProcess of(String command) throws CliFailure {
    var own = ProcessList.arguments((int) ProcessHandle.current().pid());
    int word = own.indexOf(command);
    if (word < 1) {
      throw new CliFailure("cannot start itself again: how it was started is not known");
    }
    return new RunProcess(List.copyOf(own.subList(0, word)));
  }

  /** Runs it to its end and returns the exit code. */
  int run(Show show, List<String> arguments) throws CliFailure, InterruptedException {
    var command = new ArrayList<>(program);
    command.add("run");
    command.addAll(arguments);
    var builder = new ProcessBuilder(command).inheritIO();
    if (show == Show.STORY) {
      builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    }
    try {
      var process = builder.start();
      now.set(process);
      return process.waitFor();
    } catch (IOException e) {
      throw new CliFailure("cannot start itself again: " + e.getMessage(), e);
    } finally {
      now.set(null);
    }
  }

  /** Whether somebody wants it to end. */
  boolean isInterrupted() {
    return interrupted;
  }

  private void passOn() {
    interrupted = true;
    var process = now.get();
    if (process != null) {
      process.toHandle().destroy();
    }
  }
}
