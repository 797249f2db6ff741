package dev.regroup.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Tells the worker its attempt in a file that is replaced as a whole (JS-166). */
final class AttemptFile {

  private final Path directory;

  AttemptFile(Path directory) {
    this.directory = directory;
  }

  /** A worker can live without it, so an agent that may not write there only says so. */
  void write(int attempt) {
    Path draft = directory.resolve(".attempt.new");
    try {
      Files.createDirectories(directory);
      Files.writeString(draft, attempt + "\n");
      Files.move(
          draft,
          directory.resolve("attempt"),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      AgentLog.say(
          "no file \"attempt\" for the worker (mount an emptyDir at "
              + directory
              + " or set JOBSET_RESTART_DIR): "
              + e);
    }
  }
}
