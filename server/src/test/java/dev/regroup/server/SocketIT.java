package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.server.TestServer.Carrier;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The API at a socket in the file system: no TLS, and the same rights as everywhere. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class SocketIT {
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

  @TempDir Path directory;
  private TestServer server;
  private Api admin;
  private Path socket;

  @BeforeEach
  void open() throws Exception {
    server = TestServer.start(directory.resolve("data"));
    admin = server.admin(Carrier.IN_PROCESS);
    socket = directory.resolve("api");
    Files.writeString(socket, "left by a program that was killed");
    server.server().listenAt(socket);
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void whoever_shows_no_token_is_nobody() throws Exception {
    assertThat(ask("GET " + PODS, "", "")).startsWith("HTTP/1.1 403 ").contains("anonymous");
    assertThat(ask("GET " + PODS, "nonsense", "")).startsWith("HTTP/1.1 401 ");
  }

  @Test
  void a_token_counts_as_it_does_over_tls() throws Exception {
    var token = token();

    assertThat(ask("POST " + WHO, token, "{}"))
        .startsWith("HTTP/1.1 201 ")
        .contains("system:serviceaccount:default:robot");
    assertThat(ask("GET " + PODS, token, "")).startsWith("HTTP/1.1 403 ").contains("robot");
  }

  @Test
  void every_user_of_the_folder_may_connect() throws Exception {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
        .isEqualTo("rw-rw-rw-");
  }

  @Test
  void a_watch_tells_of_changes_and_ends_with_the_server() throws Exception {
    admin
        .post(
            "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
            """
            {'metadata':{'name':'robot'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io',
             'kind':'ClusterRole','name':'view'},
             'subjects':[{'kind':'ServiceAccount','name':'robot','namespace':'default'}]}\
            """)
        .expect(201);
    var watch = "GET /api/v1/namespaces/default/configmaps?watch=true";
    try (var channel = connect(watch, token(), "")) {
      var lines = new java.io.BufferedReader(Channels.newReader(channel, UTF_8));
      assertThat(lines.readLine()).startsWith("HTTP/1.1 200 ");
      admin
          .post("/api/v1/namespaces/default/configmaps", "{'metadata':{'name':'news'}}")
          .expect(201);
      assertThat(lines.lines().filter(line -> line.contains("\"news\"")).findFirst()).isPresent();

      server.close();

      assertThat(lines.lines()).as("to its end").noneMatch(line -> line.contains("ERROR"));
    }
    assertThat(socket).doesNotExist();
  }

  private String token() throws Exception {
    admin.post("/api/v1/namespaces/default/serviceaccounts", "{'metadata':{'name':'robot'}}");
    return admin
        .post("/api/v1/namespaces/default/serviceaccounts/robot/token", "{'spec':{}}")
        .expect(201)
        .body()
        .at("/status/token")
        .asText();
  }

  private String ask(String line, String token, String body) throws Exception {
    try (var channel = connect(line, token, "Connection: close\r\n", body)) {
      return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
    }
  }

  private SocketChannel connect(String line, String token, String body) throws Exception {
    return connect(line, token, "", body);
  }

  private SocketChannel connect(String line, String token, String more, String body)
      throws Exception {
    var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    var bearer = token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n";
    var type =
        body.isEmpty()
            ? ""
            : "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n";
    var head = line + " HTTP/1.1\r\nHost: here\r\n" + bearer + type + more + "\r\n" + body;
    channel.write(ByteBuffer.wrap(head.getBytes(UTF_8)));
    return channel;
  }
}
