package dev.regroup.server.https;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.server.EchoTalk;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Conversations over a connection of HTTP/1.1 that was upgraded. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class UpgradeIT {
  private static final String ASK =
      "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";

  @TempDir Path directory;
  private SmallListener small;

  @BeforeEach
  void open() throws Exception {
    small = new SmallListener(directory);
  }

  @AfterEach
  void close() {
    small.close();
  }

  @Test
  void bytes_go_both_ways_and_the_client_may_end_first() throws Exception {
    try (var socket = small.connect(small.admin())) {
      var in = begin(socket, "");
      say(socket, "hello");
      assertThat(hear(in, 5)).isEqualTo("hello");

      socket.shutdownOutput();

      assertThat(new String(in.readAllBytes(), StandardCharsets.US_ASCII))
          .isEqualTo(EchoTalk.GOODBYE);
    }
  }

  @Test
  void what_comes_right_behind_the_request_is_part_of_the_conversation() throws Exception {
    try (var socket = small.connect(small.admin())) {
      var in = begin(socket, "early");

      assertThat(hear(in, 5)).isEqualTo("early");
    }
  }

  @Test
  void a_large_piece_arrives_whole() throws Exception {
    var text = "0123456789".repeat(100_000);
    try (var socket = small.connect(small.admin())) {
      var in = begin(socket, "");
      var saying = Thread.ofVirtual().start(() -> sayAll(socket, text));

      assertThat(hear(in, text.length())).isEqualTo(text);
      saying.join();
    }
  }

  @Test
  void a_client_that_leaves_ends_the_talk() throws Exception {
    try (var socket = small.connect(small.admin())) {
      begin(socket, "");
    }

    assertThat(small.echo.over.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void a_listener_that_closes_ends_its_talks() throws Exception {
    try (var socket = small.connect(small.admin())) {
      var in = begin(socket, "early");
      assertThat(hear(in, 5)).isEqualTo("early"); // the answer may come before the talk begins

      small.close();

      assertThat(small.echo.over.getCount()).isZero();
    }
  }

  @Test
  void a_talk_that_is_ended_before_it_began_never_begins() throws Exception {
    var over = new CountDownLatch(1);
    var talk =
        new UpgradedConnection(
            new ByteArrayEndPoint(), Runnable::run, small.echo, _ -> over.countDown());

    talk.end();
    assertThat(over.getCount()).isZero();
    talk.onOpen();
    talk.end(); // waits for its thread, had it one

    assertThat(small.echo.over.getCount()).isOne();
  }

  private static DataInputStream begin(SSLSocket socket, String early) throws IOException {
    say(socket, ASK + early);
    var in = new DataInputStream(socket.getInputStream());
    var head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      head.append((char) in.readByte());
    }
    assertThat(head.toString()).startsWith("HTTP/1.1 101 ");
    assertThat(head.toString().toLowerCase(java.util.Locale.ROOT))
        .contains("upgrade: echo", "connection: upgrade", "x-talk: 1");
    return in;
  }

  private static void sayAll(SSLSocket socket, String text) {
    try {
      say(socket, text);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void say(SSLSocket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  private static String hear(DataInputStream in, int length) throws IOException {
    return new String(in.readNBytes(length), StandardCharsets.US_ASCII);
  }
}
