package dev.regroup.agent;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One HTTP/1.1 connection to the API server, used by one thread at a time: a request, its answer
 * read to the end, the next request. Raw, because a JVM that has just started pays for every class
 * of an HTTP library.
 */
final class ApiLink implements Closeable {

  private static final int LONGEST_LINE = 16 * 1024;

  private final ApiWire wire;
  private final String authority;
  private final InputStream in;
  private final OutputStream out;
  private boolean reusable = true;

  ApiLink(ApiWire wire, String authority) throws IOException {
    this.wire = wire;
    this.authority = authority;
    this.in = new BufferedInputStream(wire.in(), 16 * 1024);
    this.out = wire.out();
  }

  /** An answer; its body ends where the message ends. */
  record Reply(int status, InputStream body) {}

  /** Whether another request can follow on this connection. */
  boolean reusable() {
    return reusable && !wire.isClosed();
  }

  ApiWire wire() {
    return wire;
  }

  Reply get(String target, String token) throws IOException {
    return send("GET " + target, token, "", new byte[0]);
  }

  Reply mergePatch(String target, String token, byte[] body) throws IOException {
    String type = "Content-Type: application/merge-patch+json\r\n";
    return send("PATCH " + target, token, type, body);
  }

  private Reply send(String line, String token, String type, byte[] body) throws IOException {
    reusable = false; // until the answer is read to its end
    String length = type.isEmpty() ? "" : type + "Content-Length: " + body.length + "\r\n";
    String head =
        line
            + " HTTP/1.1\r\nHost: "
            + authority
            + "\r\nUser-Agent: in-place-restart-agent\r\nAccept: application/json\r\n"
            + "Authorization: Bearer "
            + token
            + "\r\n"
            + length
            + "\r\n";
    byte[] first = head.getBytes(StandardCharsets.ISO_8859_1);
    byte[] message = new byte[first.length + body.length];
    System.arraycopy(first, 0, message, 0, first.length);
    System.arraycopy(body, 0, message, first.length, body.length);
    out.write(message);
    out.flush();
    return answer();
  }

  private Reply answer() throws IOException {
    String status = line();
    while (status.startsWith("HTTP/1.1 1")) { // interim answers
      while (!line().isEmpty()) {}
      status = line();
    }
    if (!status.startsWith("HTTP/1.") || status.length() < 12) {
      throw new IOException("no answer of HTTP/1.1: " + status);
    }
    long length = -1;
    boolean chunked = false;
    boolean closes = false;
    for (String header = line(); !header.isEmpty(); header = line()) {
      int colon = header.indexOf(':');
      String name = header.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT);
      String value = header.substring(colon + 1).strip().toLowerCase(Locale.ROOT);
      switch (name) {
        case "content-length" -> length = number(value, 10);
        case "transfer-encoding" -> chunked = value.endsWith("chunked");
        case "connection" -> closes = value.contains("close");
        default -> {}
      }
    }
    int code = (int) number(status.substring(9, 12), 10);
    return new Reply(code, new Body(chunked, length, closes));
  }

  private static long number(String text, int radix) throws IOException {
    try {
      return Long.parseLong(text, radix);
    } catch (NumberFormatException _) {
      throw new IOException("no number in the head of an answer: " + text);
    }
  }

  private String line() throws IOException {
    var line = new StringBuilder(64);
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the server closed the connection");
      }
      if (line.length() > LONGEST_LINE) {
        throw new IOException("a header of more than " + LONGEST_LINE + " characters");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() {
    reusable = false;
    try {
      wire.close();
    } catch (IOException _) {
      // closed is all that is asked for
    }
  }

  /** The bytes of one message: a number of them, chunks, or everything until the end. */
  private final class Body extends InputStream {

    private final boolean chunked;
    private final boolean closes;
    private long left; // of the message or of this chunk; -1: until the end
    private boolean ended;

    Body(boolean chunked, long length, boolean closes) {
      this.chunked = chunked;
      this.closes = closes;
      this.left = chunked ? 0 : length;
      if (!chunked && length == 0) {
        end();
      }
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
      if (ended || most == 0) {
        return ended ? -1 : 0;
      }
      if (chunked && left == 0 && !nextChunk()) {
        return -1;
      }
      int wanted = left < 0 ? most : (int) Math.min(most, left);
      int got = in.read(into, from, wanted);
      if (got < 0) {
        if (left < 0) {
          ended = true; // the end of the connection is the end of the message
          return -1;
        }
        throw new IOException("the server closed the connection inside an answer");
      }
      if (left > 0) {
        left -= got;
        if (chunked && left == 0) {
          var _ = line(); // what ends a chunk
        } else if (left == 0) {
          end();
        }
      }
      return got;
    }

    private boolean nextChunk() throws IOException {
      String size = line();
      int extension = size.indexOf(';');
      left = number((extension < 0 ? size : size.substring(0, extension)).strip(), 16);
      if (left > 0) {
        return true;
      }
      while (!line().isEmpty()) {} // trailers
      end();
      return false;
    }

    private void end() {
      ended = true;
      reusable = !closes;
    }
  }
}
