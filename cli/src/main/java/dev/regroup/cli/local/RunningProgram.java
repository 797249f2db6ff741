package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The process that serves a data directory, known by a file in it: its number and the time it
 * started, so that another process that got the same number later is never ended.
 */
public final class RunningProgram {

  private static final String FILE = "process";

  private final Optional<ProcessHandle> process;

  private RunningProgram(Optional<ProcessHandle> process) {
    this.process = process;
  }

  /** Notes that this process serves the directory. */
  static void register(Path directory) throws CliFailure {
    try {
      Files.writeString(directory.resolve(FILE), text(ProcessHandle.current()));
    } catch (IOException e) {
      throw new CliFailure(directory + ": cannot be written: " + Reason.of(e), e);
    }
  }

  public static RunningProgram of(Path directory) throws CliFailure {
    try {
      String text = Files.readString(directory.resolve(FILE)).strip();
      long pid = Long.parseLong(text.substring(0, text.indexOf(' ')));
      return new RunningProgram(ProcessHandle.of(pid).filter(handle -> text(handle).equals(text)));
    } catch (NoSuchFileException | NumberFormatException | StringIndexOutOfBoundsException e) {
      return new RunningProgram(Optional.empty());
    } catch (IOException e) {
      throw new CliFailure(directory + ": cannot be read: " + Reason.of(e), e);
    }
  }

  /** Asks it to end and waits. */
  public void stop() throws CliFailure, InterruptedException {
    if (process.isEmpty()) {
      return;
    }
    process.get().destroy();
    try {
      process.get().onExit().get(60, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new CliFailure(
          CliFailure.Code.TIMED_OUT,
          "process %d does not end (end it with: kill -9 %d)"
              .formatted(process.get().pid(), process.get().pid()),
          e);
    }
  }

  private static String text(ProcessHandle handle) {
    return handle.pid()
        + " "
        + handle.info().startInstant().map(Object::toString).orElse("unknown");
  }
}
