package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.embedded.cgroup.Cgroups;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.files.Fields;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.StateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/** Turns what a run's files say into the record others see. */
record RunRecords(ContainerKey key, Path directory, ContainerFile file) {

  private static final String LOST_TEXT =
      "The container's supervisor is gone, so nobody can say how the container ended";

  /** Before anything is known of a process. */
  RuntimeRecord created() {
    return new RuntimeRecord(
        key,
        file.id(),
        file.spec().epoch(),
        State.CREATED,
        0,
        file.createdAt(),
        Optional.empty(),
        Optional.empty(),
        OptionalInt.empty(),
        "",
        "",
        file.spec().labels(),
        RuntimeRecord.Warning.NONE);
  }

  RuntimeRecord read(RunFiles seen) throws IOException {
    var startedAt = seen.start().map(StateFile.Start::at);
    return switch (seen.state()) {
      case NEVER_RAN, STARTING -> created();
      case RUNNING ->
          with(
              State.RUNNING,
              seen.start().map(StateFile.Start::child).orElse(0),
              startedAt,
              Optional.empty(),
              OptionalInt.empty(),
              "",
              "",
              seen);
      case ENDED -> ended(seen, startedAt);
      case REFUSED ->
          with(
              State.EXITED,
              0,
              Optional.empty(),
              Optional.of(refusedAt(seen)),
              OptionalInt.of(RuntimeRecord.START_ERROR_CODE),
              RuntimeRecord.START_ERROR,
              RuntimeRecord.REFUSED + refusal(),
              seen);
      case LOST -> throw new IllegalStateException(key + " was lost and nobody noted it");
    };
  }

  private RuntimeRecord ended(RunFiles seen, Optional<Instant> startedAt) {
    var exit = seen.exit().orElseThrow();
    if (exit.isLost()) {
      return with(
          State.EXITED,
          0,
          startedAt,
          Optional.of(exit.at()),
          OptionalInt.of(RuntimeRecord.LOST_CODE),
          RuntimeRecord.LOST,
          LOST_TEXT,
          seen);
    }
    int code = exit.code();
    String reason = code == 0 ? RuntimeRecord.COMPLETED : RuntimeRecord.ERROR;
    if (code != 0 && Cgroups.ranOutOfMemory(file.cgroups())) {
      reason = RuntimeRecord.OOM_KILLED;
    }
    return with(
        State.EXITED, 0, startedAt, Optional.of(exit.at()), OptionalInt.of(code), reason, "", seen);
  }

  private RuntimeRecord with(
      State state,
      int pid,
      Optional<Instant> startedAt,
      Optional<Instant> finishedAt,
      OptionalInt exitCode,
      String reason,
      String message,
      RunFiles seen) {
    return new RuntimeRecord(
            key,
            file.id(),
            file.spec().epoch(),
            state,
            pid,
            file.createdAt(),
            startedAt,
            finishedAt,
            exitCode,
            reason,
            message,
            file.spec().labels(),
            RuntimeRecord.Warning.NONE)
        .labelled(seen.stop());
  }

  private Instant refusedAt(RunFiles seen) throws IOException {
    if (seen.exit().isPresent()) {
      return seen.exit().get().at();
    }
    return Files.getLastModifiedTime(directory.resolve(Layout.ERROR)).toInstant();
  }

  private String refusal() throws IOException {
    return Fields.read(directory.resolve(Layout.REFUSED))
        .map(fields -> fields.one("message"))
        .orElse("the command could not be started");
  }
}
