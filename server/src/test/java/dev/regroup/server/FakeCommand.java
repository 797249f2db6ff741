package dev.regroup.server;

import dev.regroup.server.talk.CommandStreams;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A command without a process: the test is what runs in it. Closed, it ends with 137. */
final class FakeCommand implements CommandStreams {
  final PipedInputStream heard = new PipedInputStream();
  final PipedOutputStream out = new PipedOutputStream();
  final PipedOutputStream err = new PipedOutputStream();
  final CompletableFuture<String> size = new CompletableFuture<>();
  final CompletableFuture<Integer> end = new CompletableFuture<>();
  private final PipedOutputStream stdin;
  private final PipedInputStream stdout;
  private final PipedInputStream stderr;

  FakeCommand() throws IOException {
    stdin = new PipedOutputStream(heard);
    stdout = new PipedInputStream(out);
    stderr = new PipedInputStream(err);
  }

  void exit(int code) throws IOException {
    out.close();
    err.close();
    end.complete(code);
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
  public void resize(int columns, int rows) {
    size.complete(columns + "x" + rows);
  }

  @Override
  public OptionalInt waitFor(Duration timeout) throws InterruptedException {
    try {
      return OptionalInt.of(end.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return OptionalInt.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try {
      exit(end.isDone() ? end.resultNow() : 137);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
