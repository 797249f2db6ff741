package dev.regroup.runtime.embedded.exec;

import dev.regroup.runtime.Console;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.WindowSize;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.embedded.stream.DescriptorInput;
import dev.regroup.runtime.embedded.stream.DescriptorOutput;
import dev.regroup.runtime.embedded.stream.PseudoTerminal;
import dev.regroup.runtime.embedded.stream.Readiness;
import dev.regroup.runtime.embedded.supervision.Refusal;
import dev.regroup.runtime.embedded.supervision.SignalSender;
import dev.regroup.runtime.embedded.tapes.ContainerPlan;
import dev.regroup.runtime.embedded.tapes.ExecTape;
import dev.regroup.runtime.embedded.tapes.IsolationLevel;
import dev.regroup.runtime.embedded.tapes.SeccompFilters;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.TapeRunner;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A command inside a container, its pipes or terminal, and the tape that waits for it. */
public final class ExecProcess implements ExecSession {

  private static final Duration SETUP = Duration.ofSeconds(30);

  private final int child;
  private final Streams streams;
  private final Fd result;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile int exitCode = -1;
  private @Nullable Runnable listener; // guarded by this

  private ExecProcess(int child, Streams streams, Fd result) {
    this.child = child;
    this.streams = streams;
    this.result = result;
  }

  /**
   * Where a command is started.
   *
   * @param pid of the container's command, which {@code process} is a handle on
   */
  public record Place(
      Fd process,
      int pid,
      ContainerFile file,
      ContainerPlan.Membership groups,
      IsolationLevel level) {}

  /** Starts it; on a launcher thread. */
  public static ExecProcess start(
      Place place, TapeRunner runner, Readiness readiness, ExecRequest request)
      throws IOException, RuntimeFailure {
    try (var ends = new Ends()) {
      var streams = ends.open(place, readiness, request.console());
      try {
        return ends.launch(place, runner, streams, request);
      } catch (IOException | RuntimeFailure e) {
        streams.close();
        throw e;
      }
    }
  }

  /** Our ends. */
  private record Streams(
      OutputStream stdin, InputStream stdout, InputStream stderr, @Nullable Fd terminal)
      implements Closeable {
    @Override
    public synchronized void close() {
      quietly(stdin);
      quietly(stdout);
      quietly(stderr);
      if (terminal != null) {
        terminal.close();
      }
    }

    synchronized void resize(WindowSize size) {
      if (terminal != null && terminal.isOpen()) {
        PseudoTerminal.resize(terminal, size);
      }
    }
  }

  /** The command's ends while it starts; closing takes all that were opened. */
  private static final class Ends implements AutoCloseable {
    private final List<Fd> opened = new ArrayList<>(); // to be closed here
    private final List<Fd> given = new ArrayList<>(); // to the tape: 0, 1, 2

    Streams open(Place place, Readiness readiness, Console console) throws IOException {
      return switch (console) {
        case NONE, INPUT -> pipes(readiness, console);
        case TERMINAL -> terminal(place, readiness);
      };
    }

    private Streams pipes(Readiness readiness, Console console) throws IOException {
      Fd[] in = Linux.pipe();
      opened.addAll(List.of(in));
      Fd[] out = Linux.pipe();
      opened.addAll(List.of(out));
      Fd[] err = Linux.pipe();
      opened.addAll(List.of(err));
      given.addAll(List.of(in[0], out[1], err[1]));
      var stdin = console == Console.NONE ? closed() : output(in[1], readiness);
      return new Streams(stdin, input(out[0], readiness), input(err[0], readiness), null);
    }

    private Streams terminal(Place place, Readiness readiness) throws IOException {
      var terminal = PseudoTerminal.in(place.pid());
      opened.addAll(List.of(terminal.ours(), terminal.program()));
      if (Linux.awaitReadable(place.process(), Duration.ZERO)) {
        throw new SyscallFailure("the container has ended", Errno.ESRCH); // the number is nobody's
      }
      given.addAll(List.of(terminal.program(), terminal.program(), terminal.program()));
      var window = Linux.duplicate(terminal.ours());
      opened.add(window);
      var stdin = output(Linux.duplicate(terminal.ours()), readiness);
      var stdout = input(terminal.ours(), readiness);
      opened.remove(window); // the session's from here on
      return new Streams(stdin, stdout, InputStream.nullInputStream(), window);
    }

    private static OutputStream closed() throws IOException {
      var none = OutputStream.nullOutputStream();
      none.close();
      return none;
    }

    private OutputStream output(Fd ours, Readiness readiness) throws SyscallFailure {
      opened.remove(ours); // whoever takes it closes it
      return new DescriptorOutput(ours, readiness);
    }

    private InputStream input(Fd ours, Readiness readiness) throws SyscallFailure {
      opened.remove(ours);
      return new DescriptorInput(ours, readiness);
    }

    ExecProcess launch(Place place, TapeRunner runner, Streams streams, ExecRequest request)
        throws IOException, RuntimeFailure {
      Fd[] status = Linux.pipe();
      opened.addAll(List.of(status));
      var spec = place.file().spec();
      var filter = SeccompFilters.of(spec.user());
      var tape = ExecTape.of(place.level(), spec, place.groups(), filter, request);
      var argv = List.of("regroup-exec", spec.key().pod().value(), spec.key().name());
      var fds = new ArrayList<>(List.of(place.process()));
      fds.addAll(given);
      fds.add(status[1]);
      var launched = runner.launch(tape, argv, fds, SETUP);
      var started = launched.messages().stream().filter(m -> m.length == Long.BYTES).findFirst();
      if (started.isEmpty() || Refusal.among(tape, launched.messages())) {
        launched.child().awaitEnd();
        throw new RuntimeFailure(
            Kind.START_ERROR, Refusal.of(tape, launched.messages(), request.argv().getFirst()));
      }
      int command = (int) ByteBuffer.wrap(started.get()).order(ByteOrder.LITTLE_ENDIAN).getLong();
      opened.remove(status[0]); // the session's from here on
      var session = new ExecProcess(command, streams, status[0]);
      launched.child().onEnd(session::ended);
      return session;
    }

    @Override
    public void close() {
      opened.forEach(Fd::close);
    }
  }

  private void ended() {
    try {
      byte[] status = Linux.read(result, Long.BYTES);
      if (status.length == Long.BYTES) {
        int wait = (int) ByteBuffer.wrap(status).order(ByteOrder.LITTLE_ENDIAN).getLong();
        exitCode = new StateFile.Exit(wait, java.time.Instant.EPOCH).code();
      } else {
        exitCode = 137; // the tape was killed, and the command with it
      }
    } catch (SyscallFailure e) {
      exitCode = 137;
    } finally {
      result.close();
      Runnable told;
      synchronized (this) {
        over.countDown();
        told = listener;
      }
      if (told != null) {
        told.run();
      }
    }
  }

  /** Runs this once it has ended, here if it has. */
  void onEnd(Runnable ended) {
    synchronized (this) {
      if (over.getCount() > 0) {
        listener = ended;
        return;
      }
    }
    ended.run();
  }

  @Override
  public OutputStream stdin() {
    return streams.stdin();
  }

  @Override
  public InputStream stdout() {
    return streams.stdout();
  }

  @Override
  public InputStream stderr() {
    return streams.stderr();
  }

  @Override
  public void resize(WindowSize size) {
    streams.resize(size);
  }

  @Override
  public OptionalInt waitFor(Duration timeout) throws InterruptedException {
    return over.await(timeout.toNanos(), TimeUnit.NANOSECONDS)
        ? OptionalInt.of(exitCode)
        : OptionalInt.empty();
  }

  @Override
  public void close() {
    try {
      kill();
    } finally {
      streams.close();
    }
  }

  /** The command leads a process group of its own; not collected yet, so the number is its own. */
  void kill() {
    if (over.getCount() == 0) {
      return;
    }
    try {
      SignalSender.sendToGroup(child, Signal.SIGKILL);
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot end a command this program started", e);
    }
  }

  private static void quietly(Closeable stream) {
    try {
      stream.close();
    } catch (IOException e) {
      return; // nothing is lost: the program at the other end is gone
    }
  }
}
