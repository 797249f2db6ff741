package dev.regroup.agent;

import java.io.IOException;
import java.util.Set;

/** What an API server says when it refuses something. */
final class ApiStatus {

  private ApiStatus() {}

  /** The number and the message of the answer, which is JSON most of the time. */
  static String message(int status, byte[] body, int length) {
    try {
      return status + " " + JsonScan.text(JsonScan.object(body, length, Set.of()), "message");
    } catch (IOException _) {
      return String.valueOf(status);
    }
  }
}
