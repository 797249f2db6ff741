package dev.regroup.runtime.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.regroup.runtime.embedded.Facts;
import dev.regroup.runtime.process.ProcessList;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By what the process is recognised that keeps a fabric while the program is away. */
class FabricHolderIT {

  private static final FabricRecord RECORD =
      new FabricRecord(Subnet.parse("10.90.0.0/16"), "regroup0badcaf");

  @TempDir Path directory;
  @TempDir Path elsewhere;

  @Test
  void a_process_with_the_arguments_of_a_holder_is_one() throws Exception {
    assertThat(isFound(List.of())).isTrue();
  }

  @Test
  void a_container_with_the_arguments_of_a_holder_is_none() throws Exception {
    assumeTrue(System.getProperty("user.name").equals("root"), "needs root: unshare");

    assertThat(isFound(List.of("unshare", "--pid", "--fork", "--kill-child"))).isFalse();
  }

  /**
   * Starts a process with a holder's arguments; it waits at a pipe that is called like the link.
   */
  private boolean isFound(List<String> within) throws Exception {
    var command = new ArrayList<>(within);
    command.addAll(
        List.of("bash", "-c", "mkfifo \"$0\"; exec -a regroup-fabric cat \"$0\" \"$1\""));
    command.addAll(List.of(RECORD.hostLink(), directory.toString()));
    var process = new ProcessBuilder(command).directory(elsewhere.toFile()).start();
    try {
      var argv = List.of("regroup-fabric", RECORD.hostLink(), directory.toString());
      assertThat(
              Facts.within(
                  Duration.ofSeconds(20),
                  () -> family(process).anyMatch(one -> ProcessList.runs((int) one.pid(), argv))))
          .isTrue();
      try (var found = FabricHolder.find(directory, Optional.of(RECORD)).orElse(null)) {
        return found != null;
      }
    } finally {
      var all = family(process).toList();
      all.forEach(ProcessHandle::destroyForcibly);
      process.waitFor();
    }
  }

  private static Stream<ProcessHandle> family(Process process) {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants());
  }
}
