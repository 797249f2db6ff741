package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.Signal;
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
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A command inside a container, its pipes, and the tape that waits for it. */
final class ExecProcess implements ExecSession {

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
  static ExecProcess start(
      TapeRunner runner,
      Exits exits,
      Fd container,
      ContainerFile file,
      ContainerPlan.Membership groups,
      ExecRequest request)
      throws IOException, RuntimeFailure {
    var spec = file.spec();
    var tape = ExecTape.of(spec, groups, SeccompFilters.of(spec.user()), request.argv());
    Fd[] in = Linux.pipe();
    Fd[] out = Linux.pipe();
    Fd[] err = Linux.pipe();
    Fd[] status = Linux.pipe();
    var argv = List.of("regroup-exec", spec.key().pod().value(), spec.key().name());
    try (Fd inRead = in[0];
        Fd inWrite = in[1];
        Fd outRead = out[0];
        Fd outWrite = out[1];
        Fd errRead = err[0];
        Fd errWrite = err[1];
        Fd statusWrite = status[1]) {
      var launched =
          runner.launch(
              tape, argv, List.of(container, inRead, outWrite, errWrite, statusWrite), SETUP);
      var started = launched.messages().stream().filter(m -> m.length == Long.BYTES).findFirst();
      if (started.isEmpty() || Refusal.among(tape, launched.messages())) {
        status[0].close();
        Linux.reapWaiting(launched.pid());
        throw new RuntimeFailure(
            Kind.START_ERROR, Refusal.of(tape, launched.messages(), request.argv().getFirst()));
      }
      int child = (int) ByteBuffer.wrap(started.get()).order(ByteOrder.LITTLE_ENDIAN).getLong();
      var session =
          new ExecProcess(
              child,
              output(inWrite),
              new FileInputStream(name(outRead)),
              new FileInputStream(name(errRead)),
              status[0]);
      if (request.input() == ExecRequest.Input.NONE) {
        session.stdin.close();
      }
      session.watch(exits, launched.pid());
      return session;
    }
  }

  /** Opening a pipe by its name in /proc gives a stream of Java's that owns a descriptor. */
  private static String name(Fd fd) {
    return "/proc/self/fd/" + fd.number();
  }

  private static OutputStream output(Fd fd) throws IOException {
    return new FileOutputStream(name(fd));
  }

  private void watch(Exits exits, int supervisor) throws SyscallFailure {
    Fd pidfd = Linux.pidfdOpen(supervisor); // our child, not collected yet
    var slot = new Exits.Watch[1];
    synchronized (slot) {
      slot[0] =
          exits.process(
              pidfd,
              () -> {
                synchronized (slot) {
                  slot[0].close();
                }
                pidfd.close();
                Linux.reap(supervisor);
                ended();
              });
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
      Signals.sendToGroup(child, Signal.SIGKILL);
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
