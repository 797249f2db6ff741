package dev.regroup.runtime.embedded.exec;

import dev.regroup.runtime.ContainerRuntime.InputEnd;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.WindowSize;
import dev.regroup.runtime.embedded.container.ContainerRun;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.log.LogTail;
import dev.regroup.runtime.embedded.stream.DescriptorOutput;
import dev.regroup.runtime.embedded.stream.PseudoTerminal;
import dev.regroup.runtime.embedded.stream.Readiness;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The command of a container, joined while it runs. Its output is read from its log, so any number
 * may listen and none can hold it up; its input goes through what its supervisor holds open.
 */
final class AttachedCommand implements ExecSession {

  private final ContainerRun run;
  private final OutputStream stdin;
  private final LogTail output;
  private final @Nullable Fd terminal;
  private final Consumer<AttachedCommand> left;
  private final CountDownLatch over = new CountDownLatch(1); // for the command or for us

  private AttachedCommand(
      ContainerRun run,
      OutputStream stdin,
      LogTail output,
      @Nullable Fd terminal,
      Consumer<AttachedCommand> left) {
    this.run = run;
    this.left = left;
    this.stdin = stdin;
    this.output = output;
    this.terminal = terminal;
  }

  /** Joins it; on a launcher thread. Takes the output over. */
  static AttachedCommand to(
      ContainerRun run,
      LogTail output,
      InputEnd end,
      Readiness readiness,
      Consumer<AttachedCommand> left)
      throws IOException, RuntimeFailure {
    try {
      return switch (run.file().spec().console()) {
        case NONE -> new AttachedCommand(run, OutputStream.nullOutputStream(), output, null, left);
        case INPUT -> new AttachedCommand(run, pipe(run, end, readiness), output, null, left);
        case TERMINAL -> {
          Fd terminal =
              run.held(Layout.CONSOLE_FD)
                  .orElseThrow(() -> new RuntimeFailure(Kind.WRONG_STATE, "it does not run"));
          var input = new DescriptorOutput(Linux.duplicate(terminal), readiness);
          yield new AttachedCommand(run, input, output, terminal, left);
        }
      };
    } catch (IOException | RuntimeFailure e) {
      output.close();
      throw e;
    }
  }

  private static OutputStream pipe(ContainerRun run, InputEnd end, Readiness readiness)
      throws SyscallFailure {
    var input = new DescriptorOutput(openToWrite(run.directory().resolve(Layout.STDIN)), readiness);
    return switch (end) {
      case DETACHES -> input;
      case ENDS_INPUT -> new LastInput(input, run.directory().resolve(Layout.STDIN_END));
    };
  }

  private static Fd openToWrite(Path pipe) throws SyscallFailure {
    return Linux.open(pipe, Linux.O_WRONLY | Linux.O_NONBLOCK, 0);
  }

  /** Input whose end is the command's. */
  private static final class LastInput extends FilterOutputStream {
    private final Path end;

    LastInput(OutputStream input, Path end) {
      super(input);
      this.end = end;
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      out.write(from, offset, length); // at once, not byte by byte
    }

    @Override
    public void close() throws IOException {
      super.close();
      try (Fd said = openToWrite(end)) {
        Linux.write(said, new byte[] {1});
      } catch (SyscallFailure e) {
        return; // the end was said, or the command has ended
      }
    }
  }

  @Override
  public OutputStream stdin() {
    return stdin;
  }

  @Override
  public InputStream stdout() {
    return output;
  }

  @Override
  public InputStream stderr() {
    return InputStream.nullInputStream();
  }

  @Override
  public synchronized void resize(WindowSize size) {
    if (terminal != null && terminal.isOpen()) {
      PseudoTerminal.resize(terminal, size);
    }
  }

  @Override
  public OptionalInt waitFor(Duration timeout) throws InterruptedException {
    return over.await(timeout.toNanos(), TimeUnit.NANOSECONDS)
        ? run.record().exitCode()
        : OptionalInt.empty();
  }

  /** The container has ended. */
  void ended() {
    over.countDown();
  }

  @Override
  public synchronized void close() {
    detach();
    try {
      stdin.close();
    } catch (IOException e) {
      return; // nothing is lost: the command at the other end is gone
    }
  }

  /** This program goes, which says nothing about the command's input. */
  synchronized void detach() {
    left.accept(this);
    over.countDown();
    try (output) {
      if (terminal != null) {
        terminal.close();
      }
    } catch (IOException e) {
      return; // a file that was only read
    }
  }
}
