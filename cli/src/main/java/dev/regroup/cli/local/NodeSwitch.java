package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.runtime.RuntimeFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The switch of each node of a running cluster: a socket in its directory, which only its owner can
 * reach. One line asks ({@code kill NAME}), one line answers: a code of {@link CliFailure} and a
 * text. One request at a time.
 */
public final class NodeSwitch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NodeSwitch.class);
  private static final String SOCKET = "nodes.socket";
  private static final int LONGEST = 1024;

  /** What can be done to a node. */
  public enum Act {
    STOP("stopped; its containers run on"),
    KILL("switched off; its containers are gone"),
    START("started");

    private final String done;

    Act(String done) {
      this.done = done;
    }

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    private static Optional<Act> of(String word) {
      return Arrays.stream(values()).filter(act -> act.word().equals(word)).findFirst();
    }
  }

  private final LocalNodes nodes;
  private final Path file;
  private final ServerSocketChannel server;
  private final Thread thread;

  private NodeSwitch(LocalNodes nodes, Path file, ServerSocketChannel server) {
    this.nodes = nodes;
    this.file = file;
    this.server = server;
    this.thread = Thread.ofVirtual().name("node-switch").start(this::serve);
  }

  /** Serves a directory that this process owns; without one where its path is too long. */
  static Optional<NodeSwitch> open(Path directory, LocalNodes nodes) {
    Path file = directory.resolve(SOCKET);
    try {
      Files.deleteIfExists(file); // of a program that was killed
      var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      try {
        server.bind(UnixDomainSocketAddress.of(file));
      } catch (IOException e) {
        server.close();
        throw e;
      }
      return Optional.of(new NodeSwitch(nodes, file, server));
    } catch (IOException e) {
      LOG.warn("{}: {} (nodes cannot be switched: choose a shorter path)", file, e.getMessage());
      return Optional.empty();
    }
  }

  /** Asks the cluster of this directory, waits until it is done, and returns what it says. */
  public static String ask(Path directory, Act act, String node) throws CliFailure {
    Path file = directory.resolve(SOCKET);
    try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
      send(channel, act.word() + " " + node);
      String answer =
          new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)).readLine();
      if (answer == null || !answer.matches("[0-9]+ .*")) {
        throw new CliFailure("the cluster in %s did not answer".formatted(directory));
      }
      int space = answer.indexOf(' ');
      String text = answer.substring(space + 1);
      int code = Integer.parseInt(answer.substring(0, space));
      if (code != 0) {
        throw new CliFailure(code(code), text, null);
      }
      return text;
    } catch (IOException e) {
      throw new CliFailure(
          CliFailure.Code.NOT_FOUND,
          "no cluster runs in %s (start one with regroup up --nodes 3, or name it with --data-dir)"
              .formatted(directory),
          e);
    }
  }

  private static CliFailure.Code code(int number) {
    return Arrays.stream(CliFailure.Code.values())
        .filter(code -> code.number() == number)
        .findFirst()
        .orElse(CliFailure.Code.FAILED);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    server.close();
    thread.join();
    Files.deleteIfExists(file);
  }

  private void serve() {
    while (server.isOpen()) {
      try (var client = server.accept()) {
        send(client, answer(line(client)));
      } catch (IOException e) {
        LOG.debug("a client of the switch left: {}", e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static String line(SocketChannel client) throws IOException {
    var buffer = ByteBuffer.allocate(LONGEST);
    while (buffer.hasRemaining() && client.read(buffer) >= 0) {
      if (buffer.position() > 0 && buffer.get(buffer.position() - 1) == '\n') {
        break;
      }
    }
    return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8).strip();
  }

  private String answer(String line) throws InterruptedException {
    var words = List.of(line.split(" ", 2));
    var act = Act.of(words.getFirst());
    if (act.isEmpty() || words.size() < 2) {
      return CliFailure.Code.USAGE.number()
          + " one of "
          + Arrays.stream(Act.values()).map(Act::word).collect(Collectors.joining(", "))
          + " and the name of a node, not \""
          + line
          + "\"";
    }
    String node = words.get(1);
    try {
      switch (act.get()) {
        case STOP -> nodes.stop(node);
        case KILL -> nodes.kill(node);
        case START -> nodes.start(node);
      }
      LOG.info("node {} {}", node, act.get().done);
      return "0 node %s %s".formatted(node, act.get().done);
    } catch (CliFailure e) {
      return e.code().number() + " " + e.getMessage();
    } catch (RuntimeFailure | RuntimeException e) {
      LOG.error("node {} cannot be switched", node, e);
      return CliFailure.Code.FAILED.number() + " node " + node + ": " + e.getMessage();
    }
  }

  private static void send(SocketChannel channel, String line) throws IOException {
    var bytes = ByteBuffer.wrap((line.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
