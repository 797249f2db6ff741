package dev.regroup.runtime.embedded.tapes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.Signal;
import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.tape.FakeKernel;
import dev.regroup.runtime.tape.Step;
import dev.regroup.runtime.tape.Tape;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stopping as data: printed, performed against a fake kernel, failing in every way. */
class StopTapeTest {

  private static final Tape PROCESS = StopTape.process(57, Signal.SIGTERM);
  private static final Tape GROUP = StopTape.group(4712, Signal.SIGKILL);

  private static FakeKernel.Ended play(
      Tape tape, Architecture architecture, int record, int errno) {
    Map<Integer, Integer> failing = record < 0 ? Map.of() : Map.of(record, errno);
    var outcome = new FakeKernel(tape, architecture, failing).run(Map.of(57, "container"));
    assertThat(outcome.processes()).hasSize(1);
    return outcome.processes().getFirst();
  }

  @Test
  void prints_like_strace() {
    assertThat(PROCESS.print())
        .isEqualTo(
            """
               0  pidfd_send_signal(57, SIGTERM, NULL, 0)
               1    if pidfd_send_signal < 0 go refused
               2  exit_group(0)
            refused:
               3    if pidfd_send_signal = -3 go gone
               4  exit_group(125)
            gone:
               5  exit_group(1)
            """);
    assertThat(GROUP.print()).startsWith("   0  kill(-4712, SIGKILL)\n");
  }

  @ParameterizedTest
  @EnumSource
  void sends_the_signal(Architecture architecture) {
    assertThat(play(PROCESS, architecture, -1, 0).code()).isEqualTo(StopTape.SENT);
    assertThat(play(GROUP, architecture, -1, 0).code()).isEqualTo(StopTape.SENT);
  }

  @ParameterizedTest
  @EnumSource
  void a_process_that_has_ended_is_no_failure(Architecture architecture) {
    assertThat(play(PROCESS, architecture, 0, Errno.ESRCH).code()).isEqualTo(StopTape.GONE);
    assertThat(play(GROUP, architecture, 0, Errno.ESRCH).code()).isEqualTo(StopTape.GONE);
  }

  @ParameterizedTest
  @ValueSource(ints = {Errno.EPERM, Errno.ENOENT, Errno.EINTR, Errno.EBADF, Errno.EINVAL})
  void every_call_may_fail_and_is_blamed(int errno) {
    for (Tape tape : new Tape[] {PROCESS, GROUP}) {
      int blamed = 0;
      for (int i = 0; i < tape.steps().size(); i++) {
        if (tape.steps().get(i) instanceof Step.Call call && call.onError() == Step.OnError.FAILS) {
          var ended = play(tape, Architecture.X86_64, i, errno);

          assertThat(ended.code()).isEqualTo(StopTape.FAILED);
          assertThat(tape.failures(ended.report()))
              .extracting(Tape.Failure::step, Tape.Failure::errno)
              .containsExactly(org.assertj.core.groups.Tuple.tuple(i, errno));
          blamed++;
        }
      }
      assertThat(blamed).isEqualTo(1);
    }
  }
}
