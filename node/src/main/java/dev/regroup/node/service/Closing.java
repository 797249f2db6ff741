package dev.regroup.node.service;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends sockets and threads where nobody can be told about a failure. */
final class Closing {
  private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

  private Closing() {}

  static void quietly(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("A socket could not be closed: {}", e.getMessage());
    }
  }

  /** Closes with a reset, so that the other side does not take it for a good end. */
  static void reset(SocketChannel connection) {
    try {
      connection.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException e) {
      LOG.trace("A connection is closed already: {}", e.getMessage());
    }
    quietly(connection);
  }

  /** Waits for the end of a thread that has been told to end; keeps the interrupt flag. */
  static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
