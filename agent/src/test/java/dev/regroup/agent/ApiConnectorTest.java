package dev.regroup.agent;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The two roads to the API server: the socket of the machine, and TLS where nobody answers. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ApiConnectorTest {

  private static final int HANDSHAKE = 0x16; // the first byte of a client that speaks TLS

  @TempDir Path directory;

  @BeforeEach
  void account() throws IOException {
    Files.writeString(directory.resolve("ca.crt"), ""); // nobody is trusted
  }

  @Test
  void a_socket_where_somebody_answers_is_not_passed_by() throws Exception {
    var address = UnixDomainSocketAddress.of(directory.resolve("s"));
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
      var asked =
          CompletableFuture.supplyAsync(() -> {
            try (var channel = server.accept()) {
              var request = ByteBuffer.allocate(4096);
              channel.read(request);
              channel.write(
                  ByteBuffer.wrap(
                      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(ISO_8859_1)));
              return new String(request.array(), 0, request.position(), ISO_8859_1);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });

      try (var link = connector(1, address.getPath()).open()) {
        var reply = link.get("/readyz", "word");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body().readAllBytes()).asString(ISO_8859_1).isEqualTo("ok");
      }
      assertThat(asked.get()).startsWith("GET /readyz HTTP/1.1\r\n").contains("Bearer word");
    }
  }

  @Test
  void without_a_socket_nobody_is_cut_off() throws Exception {
    assertThat(firstByteByNetwork(null)).isEqualTo(HANDSHAKE);
  }

  @Test
  void a_socket_that_is_not_there_cuts_nobody_off() throws Exception {
    assertThat(firstByteByNetwork(directory.resolve("none"))).isEqualTo(HANDSHAKE);
  }

  /** What a program that was killed leaves. */
  @Test
  void a_socket_that_nobody_listens_at_any_more_cuts_nobody_off() throws Exception {
    var left = directory.resolve("s");
    ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(left))
        .close();
    assertThat(left).exists();

    assertThat(firstByteByNetwork(left)).isEqualTo(HANDSHAKE);
  }

  /** What a server at the network's address hears first. */
  private int firstByteByNetwork(@Nullable Path socket) throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var heard =
          CompletableFuture.supplyAsync(() -> {
            try (var client = server.accept()) {
              return client.getInputStream().read();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });

      assertThatThrownBy(() -> connector(server.getLocalPort(), socket).open())
          .isInstanceOf(IOException.class); // it was hung up on

      return heard.get();
    }
  }

  private ApiConnector connector(int port, @Nullable Path socket) {
    var host = InetAddress.getLoopbackAddress().getHostAddress();
    return new ApiConnector(new AgentConfig.ApiAddress(host, port, directory, socket));
  }
}
