package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.embedded.tapes.SampleTapes.CONTAINER_FDS;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.EXEC_FDS;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.SANDBOX_FDS;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.UNIFIED;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.clone3;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.container;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.debuggingContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.exec;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.groupedContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.preparedContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.privilegedContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.run;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.sandbox;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.sharedSandbox;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.sharingContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.tape.FakeKernel.Ending;
import dev.regroup.runtime.tape.Step;
import dev.regroup.runtime.tape.Tape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every tape, with every record failing in turn. */
class TapeFailuresTest {

  @Test
  void every_record_of_the_container_tape_may_fail() {
    failEach(container(), CONTAINER_FDS, "/data/pods/3f8a/containers/trainer/2/error");
  }

  @Test
  void every_record_of_the_prepared_container_tape_may_fail() {
    var tapes = preparedContainer();
    String errorFile = "/data/pods/3f8a/containers/trainer/2/error";
    failEach(tapes, 0, opens(tapes.getFirst(), errorFile), CONTAINER_FDS, errorFile, Map.of());
    failEach(tapes, 1, -1, CONTAINER_FDS, errorFile, Map.of());
  }

  @Test
  void every_record_of_a_container_tape_with_a_unified_group_may_fail() {
    var tape = groupedContainer();
    String errors = "/data/pods/3f8a/containers/trainer/2/error";

    failEach(tape, CONTAINER_FDS, errors);
    failEach(tape, CONTAINER_FDS, errors, Map.of(clone3(tape), Errno.ENOSYS));
  }

  @Test
  void every_record_of_a_privileged_and_of_a_debugging_container_tape_may_fail() {
    String errors = "/data/pods/3f8a/containers/trainer/2/error";
    var debugging = debuggingContainer();

    failEach(privilegedContainer(), CONTAINER_FDS, errors);
    failEach(debugging, CONTAINER_FDS, errors);
    failEach(debugging, CONTAINER_FDS, errors, Map.of(clone3(debugging), Errno.ENOSYS));
  }

  @Test
  void every_record_of_the_sandbox_tape_may_fail() {
    failEach(sandbox(), SANDBOX_FDS, "/data/pods/3f8a/sandbox/error");
  }

  @Test
  void every_record_of_the_tapes_of_a_shared_process_namespace_may_fail() {
    failEach(sharingContainer(), CONTAINER_FDS, "/data/pods/3f8a/containers/trainer/2/error");
    failEach(sharedSandbox(), SANDBOX_FDS, "/data/pods/3f8a/sandbox/error");
  }

  @Test
  void every_record_of_the_exec_tape_may_fail() {
    var grouped = exec(spec(), UNIFIED);

    failEach(exec(), EXEC_FDS, "nowhere");
    failEach(grouped, EXEC_FDS, "nowhere");
    failEach(grouped, EXEC_FDS, "nowhere", Map.of(clone3(grouped), Errno.ENOSYS));
  }

  /** A call that must not fail is blamed by name and ends the start; any other changes nothing. */
  private static void failEach(Tape tape, Map<Integer, String> fds, String errorFile) {
    failEach(tape, fds, errorFile, Map.of());
  }

  /** The same where some records fail in any case. */
  private static void failEach(
      Tape tape, Map<Integer, String> fds, String errorFile, Map<Integer, Integer> always) {
    failEach(List.of(tape), 0, opens(tape, errorFile), fds, errorFile, always);
  }

  /** The same for one of several tapes that follow each other. */
  private static void failEach(
      List<Tape> tapes,
      int which,
      int errorOpened,
      Map<Integer, String> fds,
      String errorFile,
      Map<Integer, Integer> always) {
    var good = run(tapes, Architecture.X86_64, always, fds);
    int before = tapes.subList(0, which).stream().mapToInt(tape -> tape.steps().size()).sum();
    var tape = tapes.get(which);
    int blamed = 0;
    for (int i = 0; i < tape.steps().size(); i++) {
      if (!(tape.steps().get(i) instanceof Step.Call call)) {
        continue;
      }
      if (call.call() == Syscall.EXIT_GROUP || call.call() == Syscall.PPOLL) {
        continue; // these do not return
      }
      String what = tape.name() + " record " + i + " " + call.call().title();
      var failing = new HashMap<>(always);
      failing.put(before + i, Errno.EPERM);
      var outcome = run(tapes, Architecture.X86_64, failing, fds);
      var reports =
          outcome.written("control").stream()
              .filter(message -> message.length == tape.reportBytes())
              .toList();
      assertThat(outcome.processes()).as(what).isNotEmpty();
      switch (call.onError()) {
        case GOES_ON ->
            assertThat(outcome.processes().getFirst().ending())
                .as(what)
                .isEqualTo(good.processes().getFirst().ending());
        case FAILS -> {
          if (!good.played().contains(before + i)) {
            continue; // as a second place to look for the command, if the first has it
          }
          blamed++;
          assertThat(reports).as(what).hasSize(1);
          var failure = tape.failures(reports.getFirst()).getLast();
          assertThat(failure.step()).as(what).isEqualTo(i);
          assertThat(failure.errno()).as(what).isEqualTo(Errno.EPERM);
          assertThat(outcome.processes())
              .as(what)
              .allMatch(process -> process.ending() == Ending.EXITED);
          var kept = outcome.written(errorFile);
          assertThat(kept).as(what).hasSize(i > errorOpened ? 1 : 0);
          kept.forEach(bytes -> assertThat(tape.failures(bytes).getLast()).isEqualTo(failure));
        }
      }
    }
    assertThat(blamed).isGreaterThan(5);
  }

  /** The record that opens this file; the tape's length if none does. */
  private static int opens(Tape tape, String file) {
    String[] lines = tape.print().split("\n", -1);
    for (String line : lines) {
      if (line.contains("openat(AT_FDCWD, \"" + file + "\"")) {
        return Integer.parseInt(line.strip().split(" ", -1)[0]);
      }
    }
    return lines.length;
  }
}
