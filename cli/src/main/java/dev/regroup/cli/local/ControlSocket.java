package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
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
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way into a running cluster for its owner: a socket in its directory, which nobody else can
 * reach. One line asks, one line answers: a code of {@link CliFailure} and a text. One request at a
 * time.
 */
final class ControlSocket implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);
  private static final String SOCKET = "nodes.socket";
  private static final int LONGEST = 1024;

  /** Does what a line says; a failure becomes the answer. */
  interface Desk {
    String answer(String line) throws CliFailure, InterruptedException;
  }

  private final Desk desk;
  private final Path file;
  private final ServerSocketChannel server;
  private final Thread thread;

  private ControlSocket(Desk desk, Path file, ServerSocketChannel server) {
    this.desk = desk;
    this.file = file;
    this.server = server;
    this.thread = Thread.ofVirtual().name("control-socket").start(this::serve);
  }

  /** Serves a directory that this process owns; without one where its path is too long. */
  static Optional<ControlSocket> open(Path directory, Desk desk) {
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
      return Optional.of(new ControlSocket(desk, file, server));
    } catch (IOException e) {
      LOG.warn("{}: {} (nodes cannot be switched: choose a shorter path)", file, e.getMessage());
      return Optional.empty();
    }
  }

  /** Asks the cluster of this directory, waits until it is done, and returns what it says. */
  static String ask(Path directory, String line) throws CliFailure {
    Path file = directory.resolve(SOCKET);
    try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
      send(channel, line);
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
          "no cluster of yours runs in %s (start one with regroup up, or name it with --data-dir)"
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
        LOG.debug("a client of the socket left: {}", e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private String answer(String line) throws InterruptedException {
    try {
      return "0 " + desk.answer(line);
    } catch (CliFailure e) {
      return e.code().number() + " " + e.getMessage();
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

  private static void send(SocketChannel channel, String line) throws IOException {
    var bytes = ByteBuffer.wrap((line.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
