package dev.regroup.server.spdy;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a connection: what the client says in it, and what it is told. One thread reads,
 * one writes. Little is kept of what nobody reads: then the whole connection waits, because SPDY as
 * Kubernetes' clients speak it has no way to stop one stream.
 */
public final class SpdyStream {

  private static final int MOST_PIECES = 32;
  private static final byte[] END = {};

  private final int number;
  private final Map<String, String> headers;
  private final SpdyConnection connection;
  private final BlockingQueue<byte[]> pieces = new ArrayBlockingQueue<>(MOST_PIECES);
  private volatile boolean reset;
  private boolean heardAll; // only for the thread that reads
  private volatile boolean saidAll;

  SpdyStream(int number, Map<String, String> headers, SpdyConnection connection) {
    this.number = number;
    this.headers = Map.copyOf(headers);
    this.connection = connection;
  }

  public String header(String name) {
    return headers.getOrDefault(name, "");
  }

  /** What comes next; null at the end of what the client says here. */
  public byte @Nullable [] read() throws IOException, InterruptedException {
    if (heardAll) {
      return null;
    }
    byte[] piece = pieces.take();
    if (reset) {
      throw new IOException("the stream was given up");
    }
    heardAll = piece.length == 0; // END: nothing else is empty
    return heardAll ? null : piece;
  }

  public void write(byte[] bytes, int length) throws IOException, InterruptedException {
    if (reset) {
      throw new IOException("the stream was given up");
    }
    connection.data(number, bytes, length, 0);
  }

  /** Ends what this side says. */
  public void end() throws IOException, InterruptedException {
    if (!reset && !saidAll) {
      saidAll = true;
      connection.data(number, END, 0, SpdyFrame.LAST);
    }
  }

  /** Both sides have said what they have to say: its number means nothing any more. */
  public void forget() {
    connection.forget(number);
    giveUp();
  }

  void hear(byte[] bytes, boolean last) throws InterruptedException {
    if (bytes.length > 0 && !reset) {
      pieces.put(bytes);
    }
    if (last && !reset) {
      pieces.put(END);
    }
  }

  /** Nobody reads or writes here any more; whoever waits is told. */
  void giveUp() {
    reset = true;
    pieces.clear();
    boolean _ = pieces.offer(END);
  }
}
