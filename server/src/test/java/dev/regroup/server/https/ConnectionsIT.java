package dev.regroup.server.https;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a connection may cost, over real sockets. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ConnectionsIT {

  private static final int WATCHES = 500;

  @TempDir Path directory;
  private SmallListener server;

  @BeforeEach
  void start() throws Exception {
    server = new SmallListener(directory);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void a_strangers_body_is_not_waited_for() throws Exception {
    try (var socket = server.connect(server.stranger())) {
      send(socket, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n");

      assertThat(statusLine(socket)).startsWith("HTTP/1.1 403");
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .as("and then the end, though the body never comes")
          .endsWith("no");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {SmallListener.POWERLESS, "nonsense"})
  void a_refusal_reaches_also_who_sends_the_body_later(String token) throws Exception {
    try (var connection = new RawHttp2(server, server.stranger())) {
      int streams = 50;
      for (int i = 0; i < streams; i++) {
        connection.post(2 * i + 1, token);
      }
      for (int i = 0; i < streams; i++) {
        connection.body(2 * i + 1, 1_000);
      }

      eventually("all are answered", () -> connection.answered.get() == streams);
      assertThat(connection.resets).as("given up").hasValue(0);
    }
  }

  @Test
  void bodies_under_way_are_bounded_in_all_and_per_user() throws Exception {
    try (var first = server.connect(server.admin());
        var second = server.connect(server.admin());
        var third = server.connect(server.admin())) {
      post(first, 90_000);
      send(first, "x");
      post(second, 90_000);
      send(second, "x");
      eventually("both are being read", () -> server.budget.used() == 180_000);

      post(third, 90_000);
      send(third, "x".repeat(90_000));

      assertThat(statusLine(third)).startsWith("HTTP/1.1 429");
      send(first, "x".repeat(89_999));
      assertThat(statusLine(first)).startsWith("HTTP/1.1 200");
      try (var fourth = server.connect(server.admin())) {
        post(fourth, 90_000);
        send(fourth, "x".repeat(90_000));
        assertThat(statusLine(fourth)).startsWith("HTTP/1.1 200");
      }
    }
  }

  @Test
  void a_body_of_unknown_length_is_bounded_too() throws Exception {
    try (var socket = server.connect(server.admin())) {
      send(socket, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 12; i++) {
        send(socket, "2710\r\n" + "x".repeat(10_000) + "\r\n");
      }
      send(socket, "0\r\n\r\n");

      assertThat(statusLine(socket)).startsWith("HTTP/1.1 413");
    }
    try (var socket = server.connect(server.admin())) {
      send(socket, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 9; i++) {
        send(socket, "2710\r\n" + "x".repeat(10_000) + "\r\n");
      }
      send(socket, "0\r\n\r\n");

      assertThat(statusLine(socket)).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void who_shows_a_good_token_is_no_stranger_and_who_shows_a_bad_one_is() throws Exception {
    var agents = new ArrayList<SSLSocket>();
    try {
      for (int i = 0; i < 3 * SmallListener.CONNECTIONS.strangers(); i++) {
        var agent = server.connect(server.stranger());
        agents.add(agent);
        get(agent, SmallListener.TOKEN);
        assertThat(statusLine(agent)).startsWith("HTTP/1.1 200");
        try (var liar = server.connect(server.stranger())) {
          get(liar, "nonsense");
          assertThat(statusLine(liar)).startsWith("HTTP/1.1 401");
        }
      }
      assertThat(server.listener.connections()).isGreaterThanOrEqualTo(agents.size());
      var liars = new ArrayList<SSLSocket>();
      for (int i = 0; i <= SmallListener.CONNECTIONS.strangers(); i++) {
        liars.add(server.connect(server.stranger()));
        get(liars.getLast(), "nonsense");
        assertThat(statusLine(liars.getLast())).startsWith("HTTP/1.1 401");
      }
      agents.addAll(liars);

      liars.getFirst().getInputStream().readAllBytes(); // what is left of the answer, then the end
      get(agents.getFirst(), SmallListener.TOKEN);
      assertThat(agents.getFirst().getInputStream().read()).as("is served").isPositive();
    } finally {
      for (var socket : agents) {
        socket.close();
      }
    }
  }

  private static void get(SSLSocket socket, String token) throws IOException {
    send(socket, "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n");
  }

  @Test
  void strangers_hold_few_connections_and_keep_nobody_out() throws Exception {
    var strangers = new ArrayList<SSLSocket>();
    try {
      for (int i = 0; i < 20; i++) {
        strangers.add(server.connect(server.stranger()));
      }

      eventually("only some are open", () -> server.listener.connections() <= 5);
      try (var known = server.connect(server.admin())) {
        post(known, 1);
        send(known, "x");
        assertThat(statusLine(known)).startsWith("HTTP/1.1 200");
      }
      assertThat(isOver(strangers.getFirst())).as("the oldest").isTrue();
    } finally {
      for (var socket : strangers) {
        socket.close();
      }
    }
  }

  /** By its end, or by a reset where the server had not read all of the handshake. */
  private static boolean isOver(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() == -1;
    } catch (SocketException e) {
      return true;
    }
  }

  @Test
  void those_who_are_known_may_have_many() throws Exception {
    var known = new ArrayList<SSLSocket>();
    try {
      for (int i = 0; i < 50; i++) {
        known.add(server.connect(server.admin()));
        post(known.getLast(), 1);
        send(known.getLast(), "x");
        assertThat(statusLine(known.getLast())).startsWith("HTTP/1.1 200"); // known from here on
      }
      assertThat(server.listener.connections()).isEqualTo(50);
    } finally {
      for (var socket : known) {
        socket.close();
      }
    }
  }

  @Test
  void a_handshake_that_does_not_come_is_not_waited_for() throws Exception {
    try (var hasty = new SmallListener(directory.resolve("hasty"), new Door.Limits(5, 1_000, 1));
        var silent = new Socket("127.0.0.1", hasty.listener.port())) {
      silent.setSoTimeout(60_000);

      assertThat(silent.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void a_bare_line_feed_ends_no_line() throws Exception {
    try (var socket = server.connect(server.admin())) {
      send(socket, "GET / HTTP/1.1\nHost: x\n\n");

      assertThat(statusLine(socket)).startsWith("HTTP/1.1 400");
    }
  }

  @Test
  void watches_over_http_1_end_with_their_connection() throws Exception {
    var sockets = new ArrayList<SSLSocket>();
    for (int i = 0; i < 50; i++) {
      var socket = server.connect(server.admin());
      send(socket, "GET /watch HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(statusLine(socket)).startsWith("HTTP/1.1 200");
      sockets.add(socket);
    }
    eventually("all are open", () -> server.watches.get() == 50);

    for (var socket : sockets) {
      socket.close();
    }

    eventually("all have ended", () -> server.watches.get() == 0);
    eventually("no connection is left", () -> server.listener.connections() == 0);
  }

  @Test
  void hundreds_of_watches_on_one_connection_may_be_cancelled_and_opened_again() throws Exception {
    try (var client =
        HttpClient.newBuilder()
            .sslContext(server.admin())
            .version(HttpClient.Version.HTTP_2)
            .build()) {
      assertThat(get(client, "/").join().statusCode()).isEqualTo(200); // one connection to share
      for (int round = 0; round < 4; round++) {
        var opening = new ArrayList<CompletableFuture<HttpResponse<java.io.InputStream>>>();
        for (int i = 0; i < WATCHES; i++) {
          opening.add(get(client, "/watch"));
        }
        var open = new ArrayList<HttpResponse<java.io.InputStream>>();
        for (var each : opening) {
          open.add(each.get(60, TimeUnit.SECONDS));
          assertThat(open.getLast().body().read()).isEqualTo('{');
        }
        assertThat(server.watches).hasValue(WATCHES);
        assertThat(server.listener.connections()).isEqualTo(1);

        for (var each : open) {
          each.body().close();
        }

        eventually("all have ended", () -> server.watches.get() == 0);
        assertThat(server.listener.connections()).as("the connection stays").isEqualTo(1);
      }
    }
    eventually("no connection is left", () -> server.listener.connections() == 0);
  }

  private CompletableFuture<HttpResponse<java.io.InputStream>> get(HttpClient client, String path) {
    var uri = URI.create("https://127.0.0.1:" + server.listener.port() + path);
    return client.sendAsync(
        HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofInputStream());
  }

  @Test
  void watches_over_http_2_end_with_their_connection() throws Exception {
    try (var connection = new RawHttp2(server)) {
      for (int stream = 1; stream < 100; stream += 2) {
        connection.get(stream, "/watch");
      }
      eventually("all are open", () -> server.watches.get() == 50);
    }

    eventually("all have ended", () -> server.watches.get() == 0);
  }

  @Test
  void a_flood_of_streams_that_are_reset_at_once_ends_the_connection() throws Exception {
    try (var connection = new RawHttp2(server)) {
      assertThat(
              connection.endsWithin(
                  20_000,
                  (raw, i) -> {
                    raw.get(2 * i + 1, "/");
                    raw.reset(2 * i + 1);
                  }))
          .as("closed while streams are reset")
          .isTrue();
    }
  }

  @Test
  void floods_of_other_frames_end_the_connection() throws Exception {
    try (var connection = new RawHttp2(server)) {
      assertThat(connection.endsWithin(20_000, (raw, _) -> raw.ping())).as("pings").isTrue();
    }
    try (var connection = new RawHttp2(server)) {
      assertThat(connection.endsWithin(20_000, (raw, _) -> raw.settings())).as("settings").isTrue();
    }
  }

  private static void post(SSLSocket socket, int length) throws IOException {
    send(socket, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n");
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
    socket.getOutputStream().flush();
  }

  private static String statusLine(Socket socket) throws IOException {
    var line = new StringBuilder();
    int next;
    while ((next = socket.getInputStream().read()) >= 0 && next != '\r') {
      line.append((char) next);
    }
    return line.toString();
  }

  private static void eventually(String fact, BooleanSupplier holds) throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as(fact).isLessThan(deadline);
      Thread.sleep(2);
    }
  }
}
