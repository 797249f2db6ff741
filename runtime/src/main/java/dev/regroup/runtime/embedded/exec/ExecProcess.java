package dev.regroup.runtime.embedded.exec;

import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.embedded.supervision.Refusal;
import dev.regroup.runtime.embedded.supervision.SignalSender;
import dev.regroup.runtime.embedded.tapes.ContainerPlan;
import dev.regroup.runtime.embedded.tapes.ExecTape;
import dev.regroup.runtime.embedded.tapes.IsolationLevel;
import dev.regroup.runtime.embedded.tapes.SeccompFilters;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.TapeRunner;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileOutputStream;
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

/** A command inside a container, its pipes, and the tape that waits for it. */
public final class ExecProcess implements ExecSession {

  private static final Duration SETUP = Duration.ofSeconds(30);

  private final int child;
  private final OutputStream stdin;
  private final InputStream stdout;
  private final InputStream stderr;
  private final Fd result;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile int exitCode = -1;

  private ExecProcess(
      int child, OutputStream stdin, InputStream stdout, InputStream stderr, Fd result) {
    this.child = child;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.result = result;
  }

  /** Starts it; on a launcher thread. */
  public static ExecProcess start(
      IsolationLevel level,
      TapeRunner runner,
      Fd container,
      ContainerFile file,
      ContainerPlan.Membership groups,
      ExecRequest request)
      throws IOException, RuntimeFailure {
    try (var pipes = new Pipes()) {
      var session = pipes.session(level, runner, container, file, groups, request);
      if (request.input() == ExecRequest.Input.NONE) {
        close(session.stdin);
      }
      return session;
    }
  }

  /** The pipes of a session while it starts; closing takes all that were opened. */
  private static final class Pipes implements AutoCloseable {
    private final List<Fd> ends = new ArrayList<>();
    private final Fd[] in;
    private final Fd[] out;
    private final Fd[] err;
    private final Fd[] status;

    Pipes() throws SyscallFailure {
      try {
        in = pipe();
        out = pipe();
        err = pipe();
        status = pipe();
      } catch (SyscallFailure e) {
        close();
        throw e;
      }
    }

    private Fd[] pipe() throws SyscallFailure {
      Fd[] pipe = Linux.pipe();
      ends.addAll(List.of(pipe));
      return pipe;
    }

    ExecProcess session(
        IsolationLevel level,
        TapeRunner runner,
        Fd container,
        ContainerFile file,
        ContainerPlan.Membership groups,
        ExecRequest request)
        throws IOException, RuntimeFailure {
      var spec = file.spec();
      var tape = ExecTape.of(level, spec, groups, SeccompFilters.of(spec.user()), request.argv());
      var argv = List.of("regroup-exec", spec.key().pod().value(), spec.key().name());
      var streams = new ArrayList<Closeable>();
      try {
        var stdin = new FileOutputStream(name(in[1]));
        streams.add(stdin);
        var stdout = new FileInputStream(name(out[0]));
        streams.add(stdout);
        var stderr = new FileInputStream(name(err[0]));
        streams.add(stderr);
        var launched =
            runner.launch(tape, argv, List.of(container, in[0], out[1], err[1], status[1]), SETUP);
        var started = launched.messages().stream().filter(m -> m.length == Long.BYTES).findFirst();
        if (started.isEmpty() || Refusal.among(tape, launched.messages())) {
          launched.child().awaitEnd();
          throw new RuntimeFailure(
              Kind.START_ERROR, Refusal.of(tape, launched.messages(), request.argv().getFirst()));
        }
        int command = (int) ByteBuffer.wrap(started.get()).order(ByteOrder.LITTLE_ENDIAN).getLong();
        ends.remove(status[0]); // the session's from here on
        var session = new ExecProcess(command, stdin, stdout, stderr, status[0]);
        launched.child().onEnd(session::ended);
        return session;
      } catch (IOException | RuntimeFailure e) {
        streams.forEach(ExecProcess::close);
        throw e;
      }
    }

    @Override
    public void close() {
      ends.forEach(Fd::close);
    }
  }

  /** Opening a pipe by its name in /proc gives a stream of Java's that owns a descriptor. */
  private static String name(Fd fd) {
    return "/proc/self/fd/" + fd.number();
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
      over.countDown();
    }
  }

  @Override
  public OutputStream stdin() {
    return stdin;
  }

  @Override
  public InputStream stdout() {
    return stdout;
  }

  @Override
  public InputStream stderr() {
    return stderr;
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
      if (over.getCount() > 0) {
        kill();
      }
    } finally {
      close(stdin);
      close(stdout);
      close(stderr);
    }
  }

  /** The command leads a process group of its own; not collected yet, so the number is its own. */
  private void kill() {
    try {
      SignalSender.sendToGroup(child, Signal.SIGKILL);
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot end a command this program started", e);
    }
  }

  private static void close(Closeable stream) {
    try {
      stream.close();
    } catch (IOException e) {
      return; // nothing is lost: the program at the other end is gone
    }
  }
}
