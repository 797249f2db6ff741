package dev.regroup.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Stands between clients and an API server as a cache that has fallen behind: whoever allows any
 * version ({@code resourceVersion=0}) gets the answer of the past, everybody else what the server
 * says.
 */
final class LaggingCache implements AutoCloseable {

  private final Path server;
  private final byte[] past;
  private final ServerSocketChannel door;
  private final Queue<SocketChannel> open = new ConcurrentLinkedQueue<>();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

  /**
   * Listens.
   *
   * @param socket where
   * @param server where the real one listens
   * @param past a list of the past, as JSON
   */
  LaggingCache(Path socket, Path server, byte[] past) throws IOException {
    this.server = server;
    this.past = past.clone();
    this.door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    door.bind(UnixDomainSocketAddress.of(socket));
    start("lagging", this::accept);
  }

  private void start(String name, Runnable work) {
    threads.add(Thread.ofVirtual().name(name).start(work));
  }

  private void accept() {
    try {
      while (true) {
        var client = door.accept();
        open.add(client);
        start("lagging-client", () -> serve(client));
      }
    } catch (IOException _) {
      // closed
    }
  }

  /** From the first request that is the server's on, all of the connection is. */
  private void serve(SocketChannel client) {
    try (client;
        var behind = SocketChannel.open(UnixDomainSocketAddress.of(server))) {
      open.add(behind);
      var in = Channels.newInputStream(client);
      var out = Channels.newOutputStream(client);
      var head = head(in);
      while (allowsAnyVersion(head)) {
        var answer =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(past.length);
        out.write(answer.getBytes(ISO_8859_1));
        out.write(past);
        head = head(in);
      }
      var toServer = Channels.newOutputStream(behind);
      toServer.write(head.getBytes(ISO_8859_1));
      start("lagging-answers", () -> copy(Channels.newInputStream(behind), out));
      copy(in, toServer);
    } catch (IOException _) {
      // one of the two has gone
    }
  }

  private static boolean allowsAnyVersion(String head) {
    String line = head.lines().findFirst().orElse("");
    return line.startsWith("GET ") && line.matches(".*[?&]resourceVersion=0[& ].*");
  }

  /** The head of a request of HTTP/1.1, with the empty line behind it. */
  private static String head(InputStream in) throws IOException {
    var head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("the client has gone");
      }
      head.write(next);
    }
    return head.toString(ISO_8859_1);
  }

  private static void copy(InputStream from, OutputStream to) {
    try {
      from.transferTo(to);
    } catch (IOException _) {
      // one of the two has gone
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    door.close();
    for (var channel : open) {
      channel.close();
    }
    List<Thread> all = new ArrayList<>(threads);
    for (var thread : all) {
      thread.join();
    }
  }
}
