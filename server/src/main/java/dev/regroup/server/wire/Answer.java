package dev.regroup.server.wire;

import dev.regroup.client.Response;
import dev.regroup.client.Transport;

/** What the pipeline says to a request: all at once, or frame by frame as things happen. */
public sealed interface Answer {

  record Whole(Response response) implements Answer {}

  /**
   * The one who gets this answer pulls the frames and must close the stream, also when its own
   * client has gone.
   */
  record Streamed(Transport.Stream stream, Framing framing) implements Answer {}

  /** How frames are put on a connection. */
  enum Framing {
    /** Each frame is one JSON document; a line break follows it on the wire. */
    LINES,
    /** Frames are a plain run of bytes. */
    BYTES
  }
}
