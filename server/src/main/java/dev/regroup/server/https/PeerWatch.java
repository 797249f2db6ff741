package dev.regroup.server.https;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Callback;

/**
 * Notices that the client of a long HTTP/1.1 answer has left. Nobody reads such a connection until
 * the answer is over, so its end would be seen only when a write fails, perhaps never. The answer
 * says {@code Connection: close}: what a client sends meanwhile means nothing and is dropped.
 */
final class PeerWatch implements Callback {

  private final EndPoint connection;
  private final Runnable gone;
  private final ByteBuffer dropped = ByteBuffer.allocate(256);

  private PeerWatch(EndPoint connection, Runnable gone) {
    this.connection = connection;
    this.gone = gone;
  }

  /** Calls {@code gone} when the client leaves; on any thread, and maybe when the answer ends. */
  static void start(EndPoint connection, Runnable gone) {
    new PeerWatch(connection, gone).look();
  }

  @Override
  public void succeeded() {
    look();
  }

  @Override
  public void failed(Throwable cause) {
    gone.run();
  }

  private void look() {
    try {
      int read;
      do {
        dropped.clear().flip(); // the end point fills behind the limit
        read = connection.fill(dropped);
      } while (read > 0);
      if (read < 0) {
        gone.run();
      } else {
        var _ = connection.tryFillInterested(this);
      }
    } catch (IOException e) {
      gone.run();
    }
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }
}
