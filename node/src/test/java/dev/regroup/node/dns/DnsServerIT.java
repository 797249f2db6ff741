package dev.regroup.node.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.regroup.runtime.fabric.Fabric;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.ServiceUnavailableException;
import javax.naming.directory.InitialDirContext;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server on real sockets, asked by the JDK's own DNS client. */
@Timeout(60)
class DnsServerIT {
  private static final DnsNames.ServiceName TRAINING = new DnsNames.ServiceName("team", "training");

  private static final Duration LONG = Duration.ofSeconds(20);

  private final AtomicReference<DnsNames> names = new AtomicReference<>(pods("10.1.0.3"));

  @TempDir Path directory;

  @Test
  void answers_follow_the_table_at_once() throws Exception {
    try (var server = new Loopback(Upstream.NOBODY)) {
      assertThat(server.lookup("w.training.team.svc.cluster.local", "A"))
          .containsExactly("10.1.0.3");

      names.set(pods("10.1.0.9"));

      assertThat(server.lookup("w.training.team.svc.cluster.local", "A"))
          .containsExactly("10.1.0.9");
      assertThat(server.lookup("w.training.team.svc.cluster.local", "AAAA")).isEmpty();
      Assertions.assertThatThrownBy(() -> server.lookup("x.training.team.svc.cluster.local", "A"))
          .isInstanceOf(NameNotFoundException.class);
    }
  }

  @Test
  void a_large_group_is_found_through_a_stream() throws Exception {
    names.set(
        pods(
            IntStream.range(0, 1000)
                .mapToObj(i -> "10.1." + i / 250 + "." + i % 250)
                .toArray(String[]::new)));
    try (var server = new Loopback(Upstream.NOBODY)) {
      assertThat(server.lookup("training.team.svc.cluster.local", "A")).hasSize(1000);
    }
  }

  @Test
  void other_names_are_asked_from_the_hosts_resolvers() throws Exception {
    names.set(DnsNames.NONE.with(TRAINING, names.get().services().values().stream().findFirst()));
    try (var other = new Loopback(Upstream.NOBODY)) {
      // The other server knows only the cluster; a foreign table stands in for the world.
      Path resolvConf = Files.writeString(directory.resolve("resolv.conf"), "nameserver 127.0.0.1");
      var upstream = new HostResolvers(resolvConf, other.port(), LONG, new Random(1));
      byte[] query = Packets.query(4711, "training.team.svc.cluster.local", 1);

      var byDatagram = upstream.ask(query, DnsAnswers.Carrier.DATAGRAM);
      var byStream = upstream.ask(query, DnsAnswers.Carrier.STREAM);

      assertThat(Packets.read(byDatagram.orElseThrow()).id()).isEqualTo(4711);
      assertThat(Packets.read(byDatagram.orElseThrow()).records()).containsExactly("A 10.1.0.3 1");
      assertThat(byStream.orElseThrow()).isEqualTo(byDatagram.orElseThrow());
    }
  }

  @Test
  void a_question_nobody_answers_fails_within_its_deadline() throws Exception {
    try (var silent = DatagramChannel.open(StandardProtocolFamily.INET).bind(loopback(0))) {
      int port = ((InetSocketAddress) silent.getLocalAddress()).getPort();
      Path resolvConf = Files.writeString(directory.resolve("resolv.conf"), "nameserver 127.0.0.1");
      var upstream = new HostResolvers(resolvConf, port, Duration.ofMillis(100), new Random(1));
      try (var server = new Loopback(upstream)) {
        byte[] reply = server.exchange(Packets.query(5, "example.com", 1));

        assertThat(Packets.read(reply).code()).isEqualTo(2);
      }
    }
  }

  @Test
  void a_forged_answer_does_not_count() throws Exception {
    try (var forger = DatagramChannel.open(StandardProtocolFamily.INET).bind(loopback(0))) {
      int port = ((InetSocketAddress) forger.getLocalAddress()).getPort();
      var thread =
          Thread.ofPlatform()
              .name("forger")
              .start(
                  () -> Assertions.assertThatCode(() -> forge(forger)).doesNotThrowAnyException());
      Path resolvConf = Files.writeString(directory.resolve("resolv.conf"), "nameserver 127.0.0.1");
      var upstream = new HostResolvers(resolvConf, port, LONG, new Random(1));

      var answer = upstream.ask(Packets.query(5, "example.com", 1), DnsAnswers.Carrier.DATAGRAM);

      assertThat(answer).isPresent();
      assertThat(Packets.read(answer.get()).id()).isEqualTo(5);
      assertThat(Packets.read(answer.get()).code()).isEqualTo(5); // the right one, sent last
      thread.join();
    }
  }

  /** First a wrong id, then a wrong question, then the right answer with code 5. */
  private static void forge(DatagramChannel socket) throws IOException {
    var buffer = ByteBuffer.allocate(512);
    var from = socket.receive(buffer);
    var query = new byte[buffer.flip().remaining()];
    buffer.get(query);
    byte[] wrongId = query.clone();
    wrongId[0] ^= 1;
    wrongId[2] |= (byte) 0x80;
    byte[] wrongName = query.clone();
    wrongName[13] ^= 1;
    wrongName[2] |= (byte) 0x80;
    byte[] right = query.clone();
    right[2] |= (byte) 0x80;
    right[3] = 5;
    for (byte[] packet : List.of(wrongId, wrongName, right)) {
      socket.send(ByteBuffer.wrap(packet), from);
    }
  }

  @Test
  void closing_ends_every_thread_and_connection() throws Exception {
    var server = new Loopback(Upstream.NOBODY);
    try (var client = new java.net.Socket()) {
      client.connect(loopback(server.port()));
      client
          .getOutputStream()
          .write(DnsServer.framed(Packets.query(1, "training.team.svc.cluster.local", 1)));
      assertThat(client.getInputStream().read()).isGreaterThanOrEqualTo(0); // it is being served

      server.close();

      client.getInputStream().readAllBytes(); // ends
      assertThat(Thread.getAllStackTraces().keySet()).noneMatch(t -> t.getName().equals("dns"));
    }
  }

  @Test
  void the_server_is_found_at_the_gateway_of_the_pods_network() throws Exception {
    boolean root = "root".equals(System.getProperty("user.name"));
    if (!root) {
      System.out.println("skipped: network namespaces need root");
    }
    assumeTrue(root, "network namespaces need root");
    var fabric = Fabric.open(Fabric.Settings.in(directory));
    try (var _ = DnsServer.start(fabric, names::get, Upstream.NOBODY)) {
      assertThat(lookup(fabric.gateway(), 53, "w.training.team.svc.cluster.local", "A"))
          .containsExactly("10.1.0.3");
    } finally {
      fabric.remove();
    }
  }

  /** A server on two loopback sockets with the same port. */
  private final class Loopback implements AutoCloseable {
    private final DnsServer server;
    private final int port;

    Loopback(Upstream upstream) throws IOException {
      var connections = ServerSocketChannel.open(StandardProtocolFamily.INET);
      var datagrams = boundWith(connections);
      this.port = ((InetSocketAddress) connections.getLocalAddress()).getPort();
      this.server = DnsServer.start(datagrams, connections, names::get, upstream);
    }

    /** Datagrams at a port that is free for connections too: somebody else may have either. */
    private static DatagramChannel boundWith(ServerSocketChannel connections) throws IOException {
      while (true) {
        var datagrams = DatagramChannel.open(StandardProtocolFamily.INET).bind(loopback(0));
        try {
          connections.bind(datagrams.getLocalAddress());
          return datagrams;
        } catch (BindException taken) {
          datagrams.close();
        }
      }
    }

    int port() {
      return port;
    }

    List<String> lookup(String name, String type) throws NamingException {
      return DnsServerIT.lookup(InetAddress.getLoopbackAddress(), port, name, type);
    }

    byte[] exchange(byte[] query) throws IOException {
      try (var client = DatagramChannel.open(StandardProtocolFamily.INET)) {
        client.send(ByteBuffer.wrap(query), loopback(port));
        var buffer = ByteBuffer.allocate(4096);
        client.receive(buffer);
        var reply = new byte[buffer.flip().remaining()];
        buffer.get(reply);
        return reply;
      }
    }

    @Override
    public void close() {
      server.close();
    }
  }

  @SuppressWarnings({"BanJNDI", "JdkObsolete"}) // the JDK's DNS client; only a test server answers
  private static List<String> lookup(InetAddress server, int port, String name, String type)
      throws NamingException {
    var settings = new Hashtable<String, String>();
    settings.put("java.naming.factory.initial", "com.sun.jndi.dns.DnsContextFactory");
    settings.put("java.naming.provider.url", "dns://" + server.getHostAddress() + ":" + port);
    settings.put("com.sun.jndi.dns.timeout.initial", "10000");
    settings.put("com.sun.jndi.dns.timeout.retries", "2");
    var context = new InitialDirContext(settings);
    try {
      var found = context.getAttributes(name, new String[] {type}).get(type);
      var values = new ArrayList<String>();
      if (found != null) {
        for (Object value : Collections.list(found.getAll())) {
          values.add(value.toString());
        }
      }
      return values;
    } catch (ServiceUnavailableException e) {
      throw new AssertionError("the server failed on " + name, e);
    } finally {
      context.close();
    }
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(Inet4Address.ofLiteral("127.0.0.1"), port);
  }

  /** A headless service with these pods; the first is called w. */
  private static DnsNames pods(String... addresses) {
    List<Inet4Address> all =
        java.util.Arrays.stream(addresses).map(Inet4Address::ofLiteral).toList();
    return DnsNames.NONE.with(
        TRAINING, Optional.of(new DnsNames.Addresses(all, Map.of("w", List.of(all.getFirst())))));
  }
}
