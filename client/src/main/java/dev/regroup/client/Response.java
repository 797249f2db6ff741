package dev.regroup.client;

import java.util.Objects;

/** A whole answer as it came over the wire. */
public record Response(int status, Headers headers, byte[] body) {

  public Response {
    Objects.requireNonNull(headers, "headers");
    Objects.requireNonNull(body, "body");
  }

  public boolean ok() {
    return status >= 200 && status < 300;
  }
}
