package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.embedded.files.Fields;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.StateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What the files of a run say, read at one moment, and what follows from it. The state is a pure
 * function of this record:
 *
 * <pre>
 *   lock  start  error  exit    state
 *   any   yes    no     yes     ENDED        the supervisor saw it end
 *   any   begun  no     yes     ENDED        the same, as a loss that was noticed
 *   any   no     no     yes     NEVER_RAN    it was prepared, and nobody told it to go on
 *   any   any    yes    yes     REFUSED      the command could not be run
 *   free  any    yes    no      REFUSED      the setup failed before there was a child
 *   held  yes    any    no      RUNNING      (with an error: about to end)
 *   held  begun  any    no      STARTING     the command is about to exist
 *   held  no     any    no      STARTING
 *   free  yes    no     no      LOST         the supervisor was killed, or the machine restarted
 *   free  begun  no     no      LOST         the same; perhaps the command ran, perhaps not
 *   free  no     no     no      NEVER_RAN    a crash came before the process
 * </pre>
 *
 * <p>LOST lasts until somebody notices it: then there is an exit file that says so (SEQ-25a).
 */
record RunFiles(
    boolean alive,
    Optional<StateFile.Start> start,
    boolean error,
    Optional<StateFile.Exit> exit,
    Map<String, String> stop) {

  private static final String LABEL = "label";

  enum State {
    NEVER_RAN,
    STARTING,
    RUNNING,
    ENDED,
    REFUSED,
    LOST
  }

  /** Asks the lock before the files: if it is free, nobody writes to them any more. */
  static RunFiles read(Path directory, Liveness liveness) throws IOException {
    boolean alive = liveness.alive(directory.resolve(Layout.LOCK));
    return new RunFiles(
        alive,
        StateFile.start(directory.resolve(Layout.START)),
        nonEmpty(directory.resolve(Layout.ERROR)),
        StateFile.exit(directory.resolve(Layout.EXIT)),
        stopLabels(directory));
  }

  /** Whether the process that holds this lock file lives. */
  interface Liveness {
    boolean alive(Path lock) throws IOException;
  }

  State state() {
    if (exit.isPresent()) {
      return error ? State.REFUSED : start.isPresent() ? State.ENDED : State.NEVER_RAN;
    }
    if (alive) {
      return start.isPresent() && start.get().child() != 0 ? State.RUNNING : State.STARTING;
    }
    if (error) {
      return State.REFUSED;
    }
    return start.isPresent() ? State.LOST : State.NEVER_RAN;
  }

  /** The same while something of it lives after all. */
  RunFiles running() {
    return new RunFiles(true, start, error, exit, stop);
  }

  /** The same once the loss was noticed. */
  RunFiles lost(StateFile.Exit noticed) {
    return new RunFiles(false, start, error, Optional.of(noticed), stop);
  }

  private static boolean nonEmpty(Path file) throws IOException {
    return Files.exists(file) && Files.size(file) > 0;
  }

  static Map<String, String> stopLabels(Path directory) throws IOException {
    var kept = Fields.read(directory.resolve(Layout.STOP));
    return kept.map(fields -> fields.map(LABEL)).orElse(Map.of());
  }

  /** Keeps what is said about a stop, for whoever reads these files next. */
  static void keepStop(Path directory, Map<String, String> labels) throws IOException {
    new Fields().addAll(LABEL, labels).write(directory.resolve(Layout.STOP));
  }
}
