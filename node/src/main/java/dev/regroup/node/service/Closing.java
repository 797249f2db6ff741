package dev.regroup.node.service;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends sockets where nobody can be told about a failure. */
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
}
