package dev.regroup.server.https;

import dev.regroup.client.Response;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Long answers in fewer bytes, for clients that ask for it, when Kubernetes does so. Pure. */
final class Gzip {
  private static final int LONG = 128 << 10; // 128 KiB
  private static final int PIECE = 64 << 10; // 64 KiB

  private Gzip() {}

  /**
   * Whether an answer is sent so.
   *
   * @param accepted what the client says it can read; null when it says nothing
   */
  static boolean suits(@Nullable String accepted, Response answer) {
    return answer.body().length > LONG
        && accepted != null
        && names(accepted)
        && answer.headers().first("content-encoding").isEmpty();
  }

  /** A weight behind it makes it another word, as with Kubernetes. */
  private static boolean names(String encodings) {
    for (var encoding : encodings.split(",", -1)) {
      if (encoding.strip().equals("gzip")) {
        return true;
      }
    }
    return false;
  }

  /** Quick rather than small. Closes what it writes to. */
  static void write(byte[] body, OutputStream out) throws IOException {
    try (var packed =
        new GZIPOutputStream(out, PIECE) {
          {
            def.setLevel(Deflater.BEST_SPEED);
          }
        }) {
      packed.write(body);
    }
  }
}
