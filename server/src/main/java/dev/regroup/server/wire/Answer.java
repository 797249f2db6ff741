package dev.regroup.server.wire;

import dev.regroup.client.Headers;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.io.IOException;

/**
 * What the pipeline says to a request: all at once, frame by frame as things happen, or in a
 * conversation.
 */
public sealed interface Answer {

  record Whole(Response response) implements Answer {}

  /**
   * The one who gets this answer pulls the frames and must close the stream, also when its own
   * client has gone.
   */
  record Streamed(Transport.Stream stream, Framing framing) implements Answer {}

  /**
   * From here on both sides talk in another protocol. The one who gets this answer tells the client
   * so, lets {@code talk} have the client's bytes, and closes the connection when it returns.
   *
   * @param protocol as the client has asked for with {@code Upgrade}
   * @param headers of the answer, beside those that say it is an upgrade
   */
  record Upgraded(String protocol, Headers headers, Talk talk) implements Answer {}

  /** A conversation with a client, on a thread of its own that may block. */
  @FunctionalInterface
  interface Talk {
    void with(Duplex client) throws IOException, InterruptedException;
  }

  /** What the frames of a stream are. On a connection they follow each other as they are. */
  enum Framing {
    /** Each frame is one JSON document with its line break. */
    LINES,
    /** Frames are a plain run of bytes. */
    BYTES
  }
}
