package dev.regroup.node.probe;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.rules.pod.plan.ContainerBackOff;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;

/**
 * One question to the standard health service (PRB-10), in plain HTTP/2: everything but {@code
 * SERVING} is a failure. Of the protocol it knows what one call needs; headers of the answer are
 * not read, its message says it all. Its time is for all of it.
 */
final class GrpcCheck {

  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
  private static final String METHOD = "/grpc.health.v1.Health/Check";
  private static final int STREAM = 1;
  private static final int HIGHEST_FRAME = 16 * 1024; // what a peer may send without being asked

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;

  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int PADDED = 8;

  private final String host;
  private final int port;
  private final String service;
  private final Duration timeout;
  private final long deadline;

  private record Frame(int type, int flags, int stream, byte[] body) {
    boolean has(int flag) {
      return (flags & flag) != 0;
    }
  }

  GrpcCheck(String host, int port, String service, Duration timeout) {
    this.host = host;
    this.port = port;
    this.service = service;
    this.timeout = timeout;
    this.deadline = System.nanoTime() + timeout.toNanos();
  }

  ProbeVerdict run() {
    try (var socket = new Socket()) {
      try {
        socket.connect(new InetSocketAddress(host, port), millisLeft());
        greet(socket);
      } catch (IOException e) {
        return new ProbeVerdict.Failure(
            "timeout: failed to connect service \"%s\" within %s: context deadline exceeded"
                .formatted(authority(), ContainerBackOff.text(timeout)));
      }
      ask(socket);
      return answer(socket);
    } catch (SocketTimeoutException e) {
      return new ProbeVerdict.Failure(
          "timeout: health rpc did not complete within " + ContainerBackOff.text(timeout));
    } catch (EOFException e) {
      return new ProbeVerdict.Failure("error: health rpc probe failed: the connection ended");
    } catch (IOException e) {
      return new ProbeVerdict.Failure("error: health rpc probe failed: " + e.getMessage());
    }
  }

  private String authority() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** A server that speaks this protocol says its settings first of all. */
  private void greet(Socket socket) throws IOException {
    var out = new DataOutputStream(socket.getOutputStream());
    out.write(PREFACE);
    write(out, new Frame(SETTINGS, 0, 0, new byte[0]));
    out.flush();
    if (read(socket).type() != SETTINGS) {
      throw new IOException("no settings came first");
    }
    write(out, new Frame(SETTINGS, ACK, 0, new byte[0]));
    out.flush();
  }

  private void ask(Socket socket) throws IOException {
    var headers = new ByteArrayOutputStream();
    header(headers, ":method", "POST");
    header(headers, ":scheme", "http");
    header(headers, ":path", METHOD);
    header(headers, ":authority", authority());
    header(headers, "content-type", "application/grpc");
    header(headers, "user-agent", "kube-probe/1.36");
    header(headers, "te", "trailers");
    var message = new ByteArrayOutputStream();
    if (!service.isEmpty()) {
      message.write((1 << 3) | 2); // field 1, a text
      var text = service.getBytes(UTF_8);
      int rest = text.length; // seven bits a byte, the lowest first
      while (rest > 127) {
        message.write((rest & 127) | 128);
        rest >>= 7;
      }
      message.write(rest);
      message.write(text);
    }
    var body = new ByteArrayOutputStream();
    var data = new DataOutputStream(body);
    data.writeByte(0); // not compressed
    data.writeInt(message.size());
    message.writeTo(data);
    var out = new DataOutputStream(socket.getOutputStream());
    write(out, new Frame(HEADERS, END_HEADERS, STREAM, headers.toByteArray()));
    write(out, new Frame(DATA, END_STREAM, STREAM, body.toByteArray()));
    out.flush();
  }

  private ProbeVerdict answer(Socket socket) throws IOException {
    var message = new ByteArrayOutputStream();
    while (true) {
      var frame = read(socket);
      switch (frame.type()) {
        case DATA -> message.write(content(frame));
        case RESET, GO_AWAY -> throw new IOException("the server ended the call");
        case SETTINGS, PING -> {
          if (!frame.has(ACK)) {
            var out = new DataOutputStream(socket.getOutputStream());
            var body = frame.type() == PING ? frame.body() : new byte[0];
            write(out, new Frame(frame.type(), ACK, 0, body));
            out.flush();
          }
        }
        default -> {} // headers, and what only matters to longer talks
      }
      boolean ends = frame.type() == DATA || frame.type() == HEADERS;
      if (ends && frame.stream() == STREAM && frame.has(END_STREAM)) {
        return verdict(message.toByteArray());
      }
    }
  }

  private static byte[] content(Frame frame) throws IOException {
    var in = new DataInputStream(new ByteArrayInputStream(frame.body()));
    int padding = frame.has(PADDED) ? in.readUnsignedByte() : 0;
    var content = in.readAllBytes();
    return Arrays.copyOf(content, Math.max(0, content.length - padding));
  }

  /** Five bytes before the message: whether it is compressed, and its length. */
  private static ProbeVerdict verdict(byte[] answer) throws IOException {
    if (answer.length < 5) {
      throw new IOException("the server answered without a health status");
    }
    int status = 0;
    for (int at = 5; at + 1 < answer.length; at += 2) {
      if (answer[at] == 1 << 3) { // field 1, a number below 128
        status = answer[at + 1];
      }
    }
    return switch (status) {
      case 1 -> new ProbeVerdict.Success("service healthy");
      case 0 -> unhealthy("UNKNOWN");
      case 2 -> unhealthy("NOT_SERVING");
      case 3 -> unhealthy("SERVICE_UNKNOWN");
      default -> unhealthy(String.valueOf(status));
    };
  }

  private static ProbeVerdict unhealthy(String status) {
    return new ProbeVerdict.Failure("service unhealthy (responded with \"" + status + "\")");
  }

  /** A field that neither side remembers, in plain letters. */
  private static void header(ByteArrayOutputStream out, String name, String value) {
    out.write(0);
    for (var text : new String[] {name, value}) {
      var bytes = text.getBytes(US_ASCII);
      int length = bytes.length;
      if (length < 127) {
        out.write(length);
      } else {
        out.write(127); // the rest follows, seven bits a byte, the lowest first
        for (length -= 127; length > 127; length >>= 7) {
          out.write((length & 127) | 128);
        }
        out.write(length);
      }
      out.writeBytes(bytes);
    }
  }

  private Frame read(Socket socket) throws IOException {
    var in = new DataInputStream(new InTime(socket));
    int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
    if (length > HIGHEST_FRAME) {
      throw new IOException("a frame of " + length + " bytes");
    }
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int stream = in.readInt() & Integer.MAX_VALUE;
    return new Frame(type, flags, stream, in.readNBytes(length));
  }

  /** Every byte has what is left of the time: a server that sends one now and then is late. */
  private final class InTime extends InputStream {
    private final Socket socket;
    private final InputStream in;

    InTime(Socket socket) throws IOException {
      this.socket = socket;
      this.in = socket.getInputStream();
    }

    @Override
    public int read() throws IOException {
      socket.setSoTimeout(millisLeft());
      return in.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      socket.setSoTimeout(millisLeft());
      return in.read(bytes, offset, length);
    }
  }

  private static void write(DataOutputStream out, Frame frame) throws IOException {
    out.writeByte(frame.body().length >> 16);
    out.writeShort(frame.body().length);
    out.writeByte(frame.type());
    out.writeByte(frame.flags());
    out.writeInt(frame.stream());
    out.write(frame.body());
  }

  private int millisLeft() throws SocketTimeoutException {
    long left = (deadline - System.nanoTime()) / 1_000_000;
    if (left <= 0) {
      throw new SocketTimeoutException("no time left");
    }
    return Math.toIntExact(left);
  }
}
