package dev.regroup.runtime.embedded.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.Signal;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The stop tape, played in this program, on real processes. */
class SignalSenderIT {

  @Test
  void reach_a_process_and_notice_when_it_is_gone() throws Exception {
    var process = new ProcessBuilder("sleep", "1000").start();
    try (Fd pidfd = Linux.pidfdOpen(Math.toIntExact(process.pid()))) {
      boolean first = SignalSender.send(pidfd, Signal.SIGTERM);
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
      boolean second = SignalSender.send(pidfd, Signal.SIGTERM);

      assertThat(first).isTrue();
      assertThat(process.exitValue()).isEqualTo(128 + Signal.SIGTERM.number());
      assertThat(second).isFalse();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void reach_all_processes_of_a_group() throws Exception {
    var process =
        new ProcessBuilder("setsid", "-w", "sh", "-c", "sleep 1000 & echo $$; wait").start();
    try (var out = process.inputReader()) {
      int leader = Integer.parseInt(out.readLine());

      assertThat(SignalSender.sendToGroup(leader, Signal.SIGKILL)).isTrue();

      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(out.readLine()).as("the sleep held the pipe open").isNull();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void a_refusal_says_which_call_was_refused() throws IOException {
    try (Fd notAProcess = Linux.open(Path.of("/dev/null"), Linux.O_RDONLY, 0)) {
      assertThatThrownBy(() -> SignalSender.send(notAProcess, Signal.SIGTERM))
          .isInstanceOf(SyscallFailure.class)
          .hasMessageMatching("pidfd_send_signal\\(\\d+, SIGTERM, NULL, 0\\): bad file descriptor")
          .extracting(e -> ((SyscallFailure) e).errno())
          .isEqualTo(Errno.EBADF);
    }
  }
}
