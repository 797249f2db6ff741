package dev.regroup.server.spdy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of a SPDY/3.1 connection in which only the client begins streams. One thread
 * runs {@link #serve}; each new stream is answered and handed to the listener, which must return
 * soon. Any thread may write to streams.
 */
public final class SpdyConnection implements AutoCloseable {

  private static final int MOST_STREAMS = 1000;
  private static final int REFUSED_STREAM = 3;
  private static final int PROTOCOL_ERROR = 1;

  private final InputStream in;
  private final Output out;
  private final Listener listener;
  private final HeaderReader headersIn = new HeaderReader();
  private final HeaderWriter headersOut = new HeaderWriter();
  private final ReentrantLock writing = new ReentrantLock();
  private final Map<Integer, SpdyStream> streams = new ConcurrentHashMap<>();
  private int newest; // only for the thread that serves

  /** Where frames go; waits while the client is slow. */
  @FunctionalInterface
  public interface Output {
    void write(byte[] frame) throws IOException, InterruptedException;
  }

  @FunctionalInterface
  public interface Listener {
    /** The client began a stream. */
    void began(SpdyStream stream) throws IOException, InterruptedException;
  }

  public SpdyConnection(InputStream in, Output out, Listener listener) {
    this.in = in;
    this.out = out;
    this.listener = listener;
  }

  /** Reads until the client leaves. */
  public void serve() throws IOException, InterruptedException {
    try {
      for (var frame = next(); frame != null; frame = next()) {
        handle(frame);
      }
    } catch (SpdyFailure broken) {
      var body = ByteBuffer.allocate(8).putInt(newest).putInt(PROTOCOL_ERROR).array();
      control(SpdyFrame.GOAWAY, body);
      throw broken;
    }
  }

  private @Nullable SpdyFrame next() throws IOException {
    return SpdyFrame.read(in, headersIn);
  }

  private void handle(SpdyFrame frame) throws IOException, InterruptedException {
    switch (frame) {
      case SpdyFrame.Begin begin -> begin(begin);
      case SpdyFrame.Data(int number, boolean last, byte[] bytes) -> {
        var stream = streams.get(number);
        if (stream != null) { // else it ended meanwhile
          stream.hear(bytes, last);
        }
      }
      case SpdyFrame.Reset(int number) -> {
        var stream = streams.remove(number);
        if (stream != null) {
          stream.giveUp();
        }
      }
      case SpdyFrame.Ping(int number) -> {
        if ((number & 1) == 1) { // the client's; ours would be even
          control(SpdyFrame.PING, ByteBuffer.allocate(4).putInt(number).array());
        }
      }
      case SpdyFrame.Leaving() -> {} // it ends its streams, then the connection
      case SpdyFrame.Other() -> {}
    }
  }

  private void begin(SpdyFrame.Begin begin) throws IOException, InterruptedException {
    int number = begin.stream();
    if (number <= newest || (number & 1) == 0) {
      throw new SpdyFailure("a client's streams have odd numbers that grow, got " + number);
    }
    newest = number;
    if (streams.size() >= MOST_STREAMS) {
      var body = ByteBuffer.allocate(8).putInt(number).putInt(REFUSED_STREAM).array();
      control(SpdyFrame.RST_STREAM, body);
      return;
    }
    var stream = new SpdyStream(number, begin.headers(), this);
    streams.put(number, stream);
    if (begin.last()) {
      stream.hear(new byte[0], true);
    }
    reply(number);
    listener.began(stream);
  }

  private void reply(int number) throws IOException, InterruptedException {
    writing.lockInterruptibly(); // packed in the order sent
    try {
      byte[] none = headersOut.none();
      var body = ByteBuffer.allocate(4 + none.length).putInt(number).put(none).array();
      control(SpdyFrame.SYN_REPLY, body);
    } finally {
      writing.unlock();
    }
  }

  private void control(int type, byte[] body) throws IOException, InterruptedException {
    var frame = ByteBuffer.allocate(8 + body.length);
    send(frame.putInt(SpdyFrame.VERSION << 16 | type).putInt(body.length).put(body).array());
  }

  void data(int number, byte[] bytes, int length, int flags)
      throws IOException, InterruptedException {
    var frame = ByteBuffer.allocate(8 + length).putInt(number).putInt(flags << 24 | length);
    send(frame.put(bytes, 0, length).array());
  }

  private void send(byte[] frame) throws IOException, InterruptedException {
    writing.lockInterruptibly();
    try {
      out.write(frame);
    } finally {
      writing.unlock();
    }
  }

  void forget(int number) {
    streams.remove(number);
  }

  /** Gives up all streams; only when {@link #serve} has returned. */
  @Override
  public void close() {
    streams.values().forEach(SpdyStream::giveUp);
    headersIn.close();
    writing.lock();
    try {
      headersOut.close();
    } finally {
      writing.unlock();
    }
  }
}
