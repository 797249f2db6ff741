package dev.regroup.node.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.regroup.runtime.fabric.Fabric;
import dev.regroup.runtime.fabric.Subnet;
import dev.regroup.testing.FreePort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Relays on a real fabric: pods of their own network reach each other through a service. */
@Timeout(60)
class ServiceRelaysIT {
  private static final String SERVICES = "/api/v1/services";
  private static final String SLICES = "/apis/discovery.k8s.io/v1/endpointslices";
  private static final InetSocketAddress WEB =
      new InetSocketAddress(Inet4Address.ofLiteral("10.96.7.7"), 80);
  private static final int TARGET = 8080;
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path directory;

  private final SmallApi api = new SmallApi();
  private final ClusterServices services = new ClusterServices(api, new Random(1));
  private Fabric fabric;
  private ServiceRelays relays;
  private FabricPod client;
  private FabricPod one;
  private FabricPod two;

  @BeforeEach
  void open() throws Exception {
    boolean root = "root".equals(System.getProperty("user.name"));
    if (!root) {
      System.out.println("skipped: network namespaces need root");
    }
    assumeTrue(root, "network namespaces need root");
    fabric = Fabric.open(Fabric.Settings.in(directory));
    fabric.own(Subnet.parse("10.96.0.0/16"));
    client = FabricPod.start(fabric, "client");
    one = FabricPod.start(fabric, "one");
    two = FabricPod.start(fabric, "two");
  }

  @AfterEach
  void remove() throws Exception {
    if (fabric == null) {
      return;
    }
    services.close();
    if (relays != null) {
      relays.close();
    }
    for (FabricPod pod : new FabricPod[] {client, one, two}) {
      if (pod != null) {
        pod.close();
      }
    }
    fabric.remove();
  }

  @Test
  void a_connection_reaches_an_endpoint_and_half_closes_are_carried_over() throws Exception {
    serve("TCP", one);
    try (var server = one.listen(TARGET);
        var here = connected(client);
        var there = server.accept()) {
      write(here, "question");
      here.shutdownOutput();

      assertThat(readAll(there)).isEqualTo("question"); // and its end
      write(there, "answer");
      there.close();

      assertThat(readAll(here)).isEqualTo("answer");
    }
  }

  /** The port of the machine is taken at first: the cluster address answers all the same. */
  @Test
  void a_node_port_leads_a_program_of_the_machine_to_a_pod() throws Exception {
    var loopback = Inet4Address.ofLiteral("127.0.0.1");
    var nodePort = new InetSocketAddress(loopback, FreePort.next());
    try (var taken = ServerSocketChannel.open().bind(nodePort);
        var server = one.listen(TARGET)) {
      api.put(
          SERVICES,
          "team",
          "web",
          "{}",
          spec("TCP", "")
              .replace(
                  "\"port\":80,", "\"port\":80,\"nodePort\":%d,".formatted(nodePort.getPort())));
      slice("TCP", one);
      relays =
          ServiceRelays.start(fabric, services, ServiceRelays.Settings.STANDARD, new Random(1));
      services.start();
      assertThat(services.awaitSynced(LIMIT)).isTrue();
      try (var _ = connected(client);
          var there = server.accept()) {
        assertThat(there.isConnected()).isTrue();
      }
      taken.close();

      try (var here = connectedTo(nodePort);
          var there = server.accept()) {
        write(here, "question");
        here.shutdownOutput();
        assertThat(readAll(there)).isEqualTo("question");
      }
    }
  }

  /** The relay tries again after a while; bounded by the test's timeout. */
  private static SocketChannel connectedTo(InetSocketAddress address) throws Exception {
    while (true) {
      try {
        return SocketChannel.open(address);
      } catch (ConnectException e) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void much_data_passes_both_ways_and_waits_for_a_slow_reader() throws Exception {
    serve("TCP", one);
    var data = new byte[24 * 1024 * 1024];
    new Random(7).nextBytes(data);
    try (var server = one.listen(TARGET);
        var here = connected(client);
        var there = server.accept()) {
      var question = inBackground(() -> write(here, data));
      var answer = inBackground(() -> write(there, data));
      assertThat(blocked(question)).as("nobody reads, so the writer waits").isTrue();

      var received = inBackground(() -> readExactly(here, data.length));
      assertThat(Arrays.equals(readExactly(there, data.length), data)).isTrue();
      assertThat(Arrays.equals(received.get(), data)).isTrue();
      question.get();
      answer.get();
    }
  }

  @Test
  void a_reset_is_carried_over() throws Exception {
    serve("TCP", one);
    try (var server = one.listen(TARGET);
        var here = connected(client);
        var there = server.accept()) {
      assertConnected(here, there);

      Closing.reset(there);

      assertThatThrownBy(() -> readAll(here))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("reset");
    }
  }

  @Test
  void a_pod_reaches_itself_through_its_service() throws Exception {
    serve("TCP", one);
    try (var server = one.listen(TARGET);
        var here = connected(one);
        var there = server.accept()) {
      write(here, "me");

      assertThat(new String(readExactly(there, 2), UTF_8)).isEqualTo("me");
    }
  }

  @Test
  void without_a_ready_endpoint_a_connection_is_refused() throws Exception {
    serve("TCP", one);
    try (var server = one.listen(TARGET);
        var open = connected(client);
        var there = server.accept()) {

      slice("TCP"); // nobody any more
      awaitRefused();

      write(open, "still here"); // what is open stays
      assertThat(new String(readExactly(there, 10), UTF_8)).isEqualTo("still here");

      slice("TCP", one);
      connected(client).close();
      api.delete(SERVICES, "team", "web");
      awaitRefused();
    }
  }

  @Test
  void a_dead_endpoint_is_passed_over() throws Exception {
    serve("TCP", one, two); // nobody listens in one
    try (var server = two.listen(TARGET)) {
      for (int i = 0; i < 4; i++) {
        try (var here = connected(client);
            var there = server.accept()) {
          assertConnected(here, there);
        }
      }
    }
  }

  @Test
  void endpoints_take_turns_unless_the_service_wants_a_client_to_stay() throws Exception {
    serve("TCP", one, two);
    try (var first = named(one, "1");
        var second = named(two, "2")) {
      assertThat(answers()).hasSize(2);

      api.put(SERVICES, "team", "web", "{}", spec("TCP", ",\"sessionAffinity\":\"ClientIP\""));

      await(() -> answers().size() == 1);
      assertThat(first.isOpen() && second.isOpen()).isTrue();
    }
  }

  @Test
  void beyond_the_limit_a_connection_is_reset() throws Exception {
    relays =
        ServiceRelays.start(
            fabric, services, new ServiceRelays.Settings(1, 1, LIMIT), new Random(1));
    serve("TCP", one);
    try (var server = one.listen(TARGET);
        var here = connected(client);
        var there = server.accept()) {
      assertConnected(here, there);

      assertThatThrownBy(
              () -> { // the reset may come before it knows that it is connected
                try (var second = connected(client)) {
                  readAll(second);
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("reset");
    }
  }

  @Test
  void an_endpoint_with_a_detour_is_reached_where_it_listens() throws Exception {
    serve("TCP", one);
    var loopback = new InetSocketAddress(Inet4Address.ofLiteral("127.0.0.1"), 0);
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.INET).bind(loopback)) {
      relays.detour(
          new InetSocketAddress(one.address(), TARGET),
          (InetSocketAddress) server.getLocalAddress());

      try (var here = connected(client);
          var there = server.accept()) {
        assertConnected(here, there);
      }
    }
  }

  @Test
  void datagrams_go_there_and_back() throws Exception {
    serve("UDP", one);
    try (var _ = echo(one, "one");
        var here = client.datagrams(0);
        var other = client.datagrams(0)) {
      awaitAnswer(here, "first", "first from one");
      awaitAnswer(other, "second", "second from one");
      awaitAnswer(here, "third", "third from one");
    }
  }

  @Test
  void datagrams_follow_when_the_endpoint_is_another_one() throws Exception {
    serve("UDP", one);
    try (var _ = echo(one, "one");
        var _ = echo(two, "two");
        var here = client.datagrams(0)) {
      awaitAnswer(here, "a", "a from one");

      slice("UDP", two);

      awaitAnswer(here, "b", "b from two");
    }
  }

  @Test
  void a_silent_client_of_datagrams_makes_room_for_another() throws Exception {
    var idle = Duration.ofMillis(300);
    relays =
        ServiceRelays.start(
            fabric, services, new ServiceRelays.Settings(1, 1, idle), new Random(1));
    serve("UDP", one);
    try (var _ = echo(one, "one");
        var here = client.datagrams(0);
        var other = client.datagrams(0)) {
      awaitAnswer(here, "a", "a from one");
      long asked = System.nanoTime();
      awaitAnswer(here, "a", "a from one");

      awaitAnswer(other, "b", "b from one"); // dropped while there is no room

      assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(idle);
    }
  }

  @Test
  void closing_ends_open_connections() throws Exception {
    serve("TCP", one);
    try (var server = one.listen(TARGET);
        var here = connected(client);
        var there = server.accept()) {
      assertConnected(here, there);

      relays.close();

      assertThatThrownBy(() -> readAll(here)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> client.connect(WEB)).isInstanceOf(ConnectException.class);
    }
  }

  /** Puts a service with these endpoints into the API and starts to follow it. */
  private void serve(String protocol, FabricPod... pods) throws InterruptedException {
    api.put(SERVICES, "team", "web", "{}", spec(protocol, ""));
    slice(protocol, pods);
    if (relays == null) {
      relays =
          ServiceRelays.start(fabric, services, ServiceRelays.Settings.STANDARD, new Random(1));
    }
    services.start();
    assertThat(services.awaitSynced(LIMIT)).isTrue();
  }

  private static String spec(String protocol, String more) {
    return "\"spec\":{\"clusterIP\":\"%s\",\"ports\":[{\"name\":\"p\",\"port\":80,\"protocol\":\"%s\"}]%s}"
        .formatted(WEB.getAddress().getHostAddress(), protocol, more);
  }

  private void slice(String protocol, FabricPod... pods) {
    String endpoints =
        Stream.of(pods)
            .map(pod -> "{\"addresses\":[\"" + pod.address().getHostAddress() + "\"]}")
            .collect(Collectors.joining(","));
    api.put(
        SLICES,
        "team",
        "web-1",
        "{\"kubernetes.io/service-name\":\"web\"}",
        "\"endpoints\":[%s],\"ports\":[{\"name\":\"p\",\"port\":%d,\"protocol\":\"%s\"}]"
            .formatted(endpoints, TARGET, protocol));
  }

  /** Waits until somebody listens. */
  private static SocketChannel connected(FabricPod from) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        return from.connect(WEB);
      } catch (ConnectException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }

  private void awaitRefused() throws Exception {
    await(() -> {
      try (var _ = client.connect(WEB)) {
        return false;
      } catch (ConnectException refused) {
        return true;
      } catch (SocketException reset) {
        return false; // it was let in just before the end
      }
    });
  }

  private static void await(Callable<Boolean> fact) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!fact.call()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
    }
  }

  /** A server that says its name to everybody, until it is closed. */
  private static ServerSocketChannel named(FabricPod pod, String name) throws Exception {
    var server = pod.listen(TARGET);
    Thread.ofVirtual()
        .start(() -> {
          while (server.isOpen()) {
            try (var connection = server.accept()) {
              write(connection, name);
            } catch (IOException e) {
              return; // closed
            }
          }
        });
    return server;
  }

  private Set<String> answers() throws Exception {
    var answers = new HashSet<String>();
    for (int i = 0; i < 6; i++) {
      try (var connection = connected(client)) {
        answers.add(readAll(connection));
      }
    }
    return answers;
  }

  /** A server that repeats every datagram with its name, until it is closed. */
  private static DatagramChannel echo(FabricPod pod, String name) throws Exception {
    var server = pod.datagrams(TARGET);
    Thread.ofVirtual()
        .start(() -> {
          var buffer = ByteBuffer.allocate(64);
          while (server.isOpen()) {
            try {
              var from = server.receive(buffer.clear());
              server.send(buffer.put((" from " + name).getBytes(UTF_8)).flip(), from);
            } catch (IOException e) {
              return; // closed
            }
          }
        });
    return server;
  }

  /** Asks until this is the answer: a datagram may be lost while nobody listens yet. */
  private static void awaitAnswer(DatagramChannel client, String question, String answer)
      throws Exception {
    client.socket().setSoTimeout(50); // milliseconds
    var packet = new DatagramPacket(new byte[64], 64);
    await(() -> {
      client.send(ByteBuffer.wrap(question.getBytes(UTF_8)), WEB);
      packet.setLength(64);
      try {
        client.socket().receive(packet);
      } catch (SocketTimeoutException | PortUnreachableException nobody) {
        return false;
      }
      assertThat(packet.getSocketAddress()).as("answers come from the service").isEqualTo(WEB);
      return new String(packet.getData(), 0, packet.getLength(), UTF_8).equals(answer);
    });
  }

  private static void write(SocketChannel to, String text) throws IOException {
    write(to, text.getBytes(UTF_8));
  }

  private static boolean write(SocketChannel to, byte[] data) throws IOException {
    var buffer = ByteBuffer.wrap(data);
    while (buffer.hasRemaining()) {
      to.write(buffer);
    }
    return true;
  }

  private static String readAll(SocketChannel from) throws IOException {
    return new String(Channels.newInputStream(from).readAllBytes(), UTF_8);
  }

  /** What goes in here comes out there. */
  private static void assertConnected(SocketChannel here, SocketChannel there) throws IOException {
    write(here, "x");
    assertThat(readExactly(there, 1)).hasSize(1);
  }

  private static byte[] readExactly(SocketChannel from, int length) throws IOException {
    return Channels.newInputStream(from).readNBytes(length);
  }

  private static <T> FutureTask<T> inBackground(Callable<T> task) {
    var future = new FutureTask<>(task);
    Thread.ofVirtual().start(future);
    return future;
  }

  /** Whether the task does not end by itself: kernels and relay hold far less than it writes. */
  private static boolean blocked(FutureTask<?> task) {
    try {
      task.get(200, java.util.concurrent.TimeUnit.MILLISECONDS);
      return false;
    } catch (java.util.concurrent.TimeoutException waiting) {
      return true;
    } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
      throw new AssertionError(e);
    }
  }
}
