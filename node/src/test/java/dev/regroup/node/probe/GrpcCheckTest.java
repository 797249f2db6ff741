package dev.regroup.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** PRB-10, ACC-188: the health service is asked in its own protocol, over a real socket. */
@Timeout(60)
class GrpcCheckTest {

  private static final String HERE = "127.0.0.1";
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(20); // nothing here waits for its end
  private static final String SETTINGS = "000000040000000000";
  private static final String HEADERS = "00000101040000000188"; // :status 200
  private static final String TRAILERS = "000001010500000001be";

  private final AtomicReference<byte[]> asked = new AtomicReference<>(new byte[0]);

  @ParameterizedTest
  @CsvSource({"00, UNKNOWN", "02, NOT_SERVING", "03, SERVICE_UNKNOWN", "09, 9"})
  void all_but_one_status_is_a_failure(String status, String name) throws Exception {
    assertThat(answer(HEADERS + message("08" + status) + TRAILERS))
        .isEqualTo(
            new ProbeVerdict.Failure("service unhealthy (responded with \"%s\")".formatted(name)));
  }

  @Test
  void a_service_that_serves_is_healthy_and_was_asked_for_by_name() throws Exception {
    assertThat(answer(HEADERS + message("0801") + TRAILERS))
        .isEqualTo(new ProbeVerdict.Success("service healthy"));

    assertThat(new String(asked.get(), StandardCharsets.ISO_8859_1))
        .startsWith("PRI * HTTP/2.0")
        .contains("/grpc.health.v1.Health/Check")
        .endsWith("\n\u0003abc"); // field 1: a text of three letters
  }

  @Test
  void settings_and_pings_between_the_frames_are_answered() throws Exception {
    var ping = "0000080600000000000102030405060708";

    assertThat(answer(SETTINGS + ping + HEADERS + message("0801") + TRAILERS))
        .isInstanceOf(ProbeVerdict.Success.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0000010105000000018c", // only headers: the method is not known there
        "00000403000000000100000008", // the stream is reset
        "0000080700000000000000000000000000", // the server goes away
        ""
      })
  void no_status_is_a_failure(String frames) throws Exception {
    assertThat(answer(frames))
        .isInstanceOfSatisfying(
            ProbeVerdict.Failure.class,
            failure -> assertThat(failure.output()).startsWith("error: health rpc probe failed: "));
  }

  @Test
  void nobody_there_and_another_protocol_are_no_service() throws Exception {
    int port;
    try (var server = new ServerSocket(0, 1, InetAddress.ofLiteral(HERE))) {
      port = server.getLocalPort();
      var other = Thread.ofVirtual().start(() -> say(server, "485454502f312e3120343030"));
      assertThat(new GrpcCheck(HERE, port, "", LONG).run()).isEqualTo(noService(port, "20s"));
      other.join();
    }

    assertThat(new GrpcCheck(HERE, port, "", SECOND).run()).isEqualTo(noService(port, "1s"));
  }

  @Test
  void a_server_that_does_not_answer_fails_in_time() throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.ofLiteral(HERE))) {
      assertThat(new GrpcCheck(HERE, server.getLocalPort(), "", SECOND).run())
          .isEqualTo(noService(server.getLocalPort(), "1s"));
    }
  }

  private static ProbeVerdict noService(int port, String within) {
    return new ProbeVerdict.Failure(
        "timeout: failed to connect service \"%s:%d\" within %s: context deadline exceeded"
            .formatted(HERE, port, within));
  }

  private static String message(String content) {
    int length = content.length() / 2;
    return "%06x000000000001".formatted(5 + length) + "00%08x".formatted(length) + content;
  }

  /** Says its settings and these frames, and leaves. */
  private ProbeVerdict answer(String frames) throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.ofLiteral(HERE))) {
      var other = Thread.ofVirtual().start(() -> say(server, SETTINGS + frames));
      var verdict = new GrpcCheck(HERE, server.getLocalPort(), "abc", LONG).run();
      other.join();
      return verdict;
    }
  }

  private void say(ServerSocket server, String hex) {
    try (var client = server.accept()) {
      client.getOutputStream().write(HexFormat.of().parseHex(hex));
      client.shutdownOutput();
      asked.set(question(client));
      client.getInputStream().readAllBytes(); // until the other side leaves
    } catch (IOException gone) {
      return; // it has heard enough
    }
  }

  /** Everything up to the end of the question. */
  private static byte[] question(Socket client) throws IOException {
    var all = new ByteArrayOutputStream();
    var in = new DataInputStream(client.getInputStream());
    all.write(in.readNBytes(24));
    while (true) {
      var head = in.readNBytes(9);
      if (head.length < 9) {
        return all.toByteArray();
      }
      int length = ((head[0] & 255) << 16) | ((head[1] & 255) << 8) | (head[2] & 255);
      all.write(head);
      all.write(in.readNBytes(length));
      if (head[3] == 0) {
        return all.toByteArray();
      }
    }
  }
}
