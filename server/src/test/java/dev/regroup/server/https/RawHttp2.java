package dev.regroup.server.https;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A client of HTTP/2 that sends the frames it is told to, also those no good client sends. */
final class RawHttp2 implements AutoCloseable {

  /** What is sent again and again. */
  interface Step {
    void send(RawHttp2 connection, int number) throws IOException;
  }

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int END_OF_STREAM = 0x1;
  private static final int END_OF_HEADERS = 0x4;
  private static final int END_OF_STREAM_AND_HEADERS = 0x5;
  private static final int CANCEL = 8;

  private final SSLSocket socket;
  private final OutputStream out;
  private final Thread reader;
  private boolean flooding; // whole records are sent then

  /** Streams the server has said everything on. */
  final AtomicInteger answered = new AtomicInteger();

  /** Streams the server has given up. */
  final AtomicInteger resets = new AtomicInteger();

  RawHttp2(SmallListener server) throws Exception {
    this(server, server.admin());
  }

  RawHttp2(SmallListener server, SSLContext tls) throws Exception {
    socket = (SSLSocket) tls.getSocketFactory().createSocket("127.0.0.1", server.listener.port());
    var parameters = new SSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    out = new BufferedOutputStream(socket.getOutputStream());
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    settings();
    reader = Thread.ofVirtual().name("raw-http2").start(this::count);
  }

  /**
   * Repeats the step, as fast as it goes: limits are per second. Returns whether the server closes
   * the connection for that.
   */
  boolean endsWithin(int steps, Step step) throws InterruptedException {
    try {
      flooding = true;
      for (int i = 0; i < steps; i++) {
        step.send(this, i);
      }
      out.flush();
      return reader.join(Duration.ofSeconds(30)); // the server reads what was sent
    } catch (IOException e) {
      return true;
    }
  }

  void get(int stream, String path) throws IOException {
    var block = new ByteArrayOutputStream();
    block.write(0x82); // :method GET
    block.write(0x87); // :scheme https
    literal(block, 4, path); // :path
    literal(block, 1, "x"); // :authority
    frame(HEADERS, END_OF_STREAM_AND_HEADERS, stream, block.toByteArray());
  }

  /** The head of a request whose body comes later. */
  void post(int stream, String token) throws IOException {
    var block = new ByteArrayOutputStream();
    block.write(0x83); // :method POST
    block.write(0x87); // :scheme https
    literal(block, 4, "/"); // :path
    literal(block, 1, "x"); // :authority
    block.write(0x0f); // not indexed, and its name is
    literal(block, 23 - 0x0f, "Bearer " + token); // authorization
    frame(HEADERS, END_OF_HEADERS, stream, block.toByteArray());
  }

  void body(int stream, int bytes) throws IOException {
    frame(DATA, END_OF_STREAM, stream, new byte[bytes]);
  }

  void reset(int stream) throws IOException {
    frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
  }

  void ping() throws IOException {
    frame(PING, 0, 0, new byte[8]);
  }

  void settings() throws IOException {
    frame(SETTINGS, 0, 0, new byte[0]);
  }

  private static void literal(ByteArrayOutputStream block, int nameIndex, String value) {
    block.write(nameIndex); // not indexed
    block.write(value.length());
    block.writeBytes(value.getBytes(US_ASCII));
  }

  private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    var head = ByteBuffer.allocate(9);
    head.put((byte) 0).putShort((short) payload.length);
    head.put((byte) type).put((byte) flags).putInt(stream);
    out.write(head.array());
    out.write(payload);
    if (!flooding) {
      out.flush();
    }
  }

  private void count() {
    try {
      var in = new DataInputStream(socket.getInputStream());
      while (true) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        in.skipNBytes(4 + length); // of which stream, and what
        if (type == RST_STREAM) {
          resets.incrementAndGet();
        } else if (type <= HEADERS && (flags & END_OF_STREAM) != 0) {
          answered.incrementAndGet();
        }
      }
    } catch (IOException e) {
      return; // closed, by either side
    }
  }

  @Override
  public void close() throws Exception {
    socket.close();
    reader.join();
  }
}
