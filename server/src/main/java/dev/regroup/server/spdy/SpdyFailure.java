package dev.regroup.server.spdy;

import java.io.IOException;

/** The client's bytes are not SPDY/3.1, or more than a server takes. */
public final class SpdyFailure extends IOException {
  SpdyFailure(String problem) {
    super(problem);
  }

  SpdyFailure(String problem, Throwable cause) {
    super(problem, cause);
  }
}
