package dev.regroup.server.https;

import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Duplex;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Blocker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of HTTP/1.1 after its upgrade: its bytes belong to a talk, which runs on a virtual
 * thread from the moment the connection is handed over until it returns. Then the connection is
 * closed. A quiet talk is no dead one; the kernel finds out clients that have gone.
 */
final class UpgradedConnection extends AbstractConnection implements Connection.UpgradeTo, Duplex {
  private static final Logger LOG = LoggerFactory.getLogger(UpgradedConnection.class);
  private static final int PIECE = 16 << 10; // 16 KiB

  private final Answer.Talk talk;
  private final Consumer<UpgradedConnection> over;
  private final Thread thread;
  private boolean ended; // guarded by the thread
  private final ByteBuffer buffer = ByteBuffer.allocate(PIECE).flip();
  private volatile ByteBuffer early = ByteBuffer.allocate(0); // sent before the answer came

  /**
   * @param over told when the talk has ended
   */
  UpgradedConnection(
      EndPoint endPoint, Executor executor, Answer.Talk talk, Consumer<UpgradedConnection> over) {
    super(endPoint, executor);
    this.talk = talk;
    this.over = over;
    this.thread =
        Thread.ofVirtual().name("talk-" + endPoint.getRemoteSocketAddress()).unstarted(this::run);
  }

  @Override
  public void onUpgradeTo(@Nullable ByteBuffer read) {
    if (read != null) {
      early = ByteBuffer.allocate(read.remaining()).put(read).flip();
    }
  }

  @Override
  public void onOpen() {
    super.onOpen();
    begin();
  }

  private void begin() {
    synchronized (thread) {
      if (!ended) {
        thread.start();
      }
    }
  }

  private void run() {
    try (this) {
      talk.with(this);
    } catch (IOException e) {
      LOG.debug("A talk broke off", e); // the client has gone, or the server stops
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      over.accept(this);
    }
  }

  /** Ends the talk and waits until its thread has; one that has not begun never does. */
  void end() throws InterruptedException {
    close();
    synchronized (thread) {
      ended = true;
      if (thread.getState() == Thread.State.NEW) {
        over.accept(this);
        return;
      }
    }
    thread.interrupt();
    thread.join();
  }

  @Override
  public byte @Nullable [] read() throws IOException {
    if (early.hasRemaining()) {
      return taken(early);
    }
    while (true) {
      buffer.clear().flip(); // the end point fills behind the limit
      int read = getEndPoint().fill(buffer);
      if (read > 0) {
        return taken(buffer);
      }
      if (read < 0) {
        if (!getEndPoint().isOpen()) {
          throw new EOFException("the connection is closed");
        }
        return null;
      }
      try (var readable = Blocker.callback()) {
        fillInterested(readable);
        readable.block();
      }
    }
  }

  private static byte[] taken(ByteBuffer from) {
    var bytes = new byte[from.remaining()];
    from.get(bytes);
    return bytes;
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    try (var written = Blocker.callback()) {
      getEndPoint().write(written, ByteBuffer.wrap(bytes));
      written.block();
    }
  }

  @Override
  public void endOutput() {
    getEndPoint().shutdownOutput();
  }

  @Override
  public boolean onIdleExpired(TimeoutException timeout) {
    return false;
  }

  @Override
  public void onFillable() {} // nobody registers for it: reading waits by itself
}
