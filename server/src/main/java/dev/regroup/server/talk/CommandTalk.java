package dev.regroup.server.talk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.regroup.server.websocket.WebSocket;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Duplex;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A talk with a command in a container, which {@code exec} starts and {@code attach} joins:
 *
 * <ol>
 *   <li>an empty message says that the talk has begun;
 *   <li>one virtual thread listens to the client, one copies each of the command's outputs;
 *   <li>when the command has ended and its output is told, so is how it ended, and the talk is
 *       over;
 *   <li>a client that goes ends the command, if it was started for it.
 * </ol>
 *
 * <p>A thread reads again only when everything is written: who does not read holds up who writes.
 */
public final class CommandTalk implements Answer.Talk {

  /** What a command wrote is there when it has ended; a process it left may hold the pipe. */
  private static final Duration LAST_BYTES = Duration.ofSeconds(1);

  /**
   * A client that is told the end answers soon; closing earlier could lose what it has not read.
   */
  private static final Duration FAREWELL = Duration.ofSeconds(2);

  private static final Duration FOR_EVER = Duration.ofDays(3650);
  private static final int PIECE = 32 * 1024;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Opening opening;
  private final Wanted wanted;
  private final ChannelProtocol protocol;

  /** Starts or joins the command. */
  @FunctionalInterface
  public interface Opening {
    CommandStreams open() throws TalkRefused, InterruptedException;
  }

  /**
   * Which streams the client asked for.
   *
   * @param command as it is repeated when it fails; empty for one that is only joined
   */
  public record Wanted(
      List<String> command, boolean stdin, boolean stdout, boolean stderr, boolean tty) {
    public Wanted {
      command = List.copyOf(command);
    }
  }

  public CommandTalk(Opening opening, Wanted wanted, ChannelProtocol protocol) {
    this.opening = opening;
    this.wanted = wanted;
    this.protocol = protocol;
  }

  @Override
  public void with(Duplex client) throws IOException, InterruptedException {
    try (var socket = new WebSocket(client)) {
      socket.send(new byte[] {firstChannel()});
      try (var command = opening.open()) {
        converse(socket, command);
      } catch (TalkRefused refused) {
        tell(socket, refused.status().toJson().toString(), refused.status().message());
        socket.end();
        socket.awaitEnd(FAREWELL);
      }
    }
  }

  private byte firstChannel() {
    if (wanted.stdout()) {
      return ChannelProtocol.STDOUT;
    }
    return wanted.stderr() && !wanted.tty() ? ChannelProtocol.STDERR : ChannelProtocol.ERROR;
  }

  private void converse(WebSocket socket, CommandStreams command)
      throws IOException, InterruptedException {
    var copies = new ArrayList<Copy>();
    var listener = Thread.ofVirtual().name("talk-input").unstarted(() -> listen(socket, command));
    try {
      if (wanted.stdout()) {
        copies.add(new Copy(command.stdout(), ChannelProtocol.STDOUT, socket));
      }
      if (wanted.stderr() && !wanted.tty()) {
        copies.add(new Copy(command.stderr(), ChannelProtocol.STDERR, socket));
      }
      if (!wanted.stdin()) {
        quietly(command.stdin());
      }
      listener.start();
      var code = command.waitFor(FOR_EVER);
      if (code.isPresent()) { // else the client has gone, and the command goes on without it
        for (var copy : copies) {
          copy.finish();
        }
        tellEnd(socket, code.getAsInt());
        socket.end();
        listener.join(FAREWELL);
      }
    } finally {
      command.close();
      socket.close();
      for (var copy : copies) {
        copy.thread.join();
      }
      if (listener.isAlive()) {
        listener.join();
      }
    }
  }

  /** Until the client has nothing more to say; then the command is its own no more. */
  private void listen(WebSocket socket, CommandStreams command) {
    try {
      for (var message = socket.receive(); message != null; message = socket.receive()) {
        hear(message.bytes(), command);
      }
    } catch (IOException e) {
      return; // broken off, or the talk is over
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      command.close();
    }
  }

  private void hear(byte[] message, CommandStreams command) {
    if (message.length == 0) {
      return;
    }
    switch (message[0]) {
      case ChannelProtocol.STDIN -> {
        if (wanted.stdin()) {
          write(message, command);
        }
      }
      case ChannelProtocol.RESIZE -> resize(message, command);
      case ChannelProtocol.CLOSE -> {
        if (protocol == ChannelProtocol.V5
            && message.length == 2
            && message[1] == ChannelProtocol.STDIN) {
          quietly(command.stdin());
        }
      }
      default -> {} // no channel a client writes to
    }
  }

  private static void write(byte[] message, CommandStreams command) {
    try {
      command.stdin().write(message, 1, message.length - 1);
    } catch (IOException e) {
      return; // the command does not read any more: what it does next is its own decision
    }
  }

  private static void resize(byte[] message, CommandStreams command) {
    try {
      var size = JSON.readTree(message, 1, message.length - 1);
      command.resize(size.path("Width").asInt(), size.path("Height").asInt());
    } catch (JsonProcessingException e) {
      return; // a terminal that keeps its size
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory", e);
    }
  }

  private static void quietly(Closeable stream) {
    try {
      stream.close();
    } catch (IOException e) {
      return; // nobody reads it any more
    }
  }

  private void tellEnd(WebSocket socket, int code) throws IOException, InterruptedException {
    if (code == 0 || wanted.command().isEmpty()) { // how a container ended, its pod tells
      var success = JsonNodeFactory.instance.objectNode();
      success.putObject("metadata");
      tell(socket, success.put("status", "Success").toString(), "");
      return;
    }
    var words = "[" + String.join(" ", wanted.command()) + "]";
    var message =
        "command terminated with non-zero exit code: error executing command %s, exit code %d"
            .formatted(words, code);
    var failure = JsonNodeFactory.instance.objectNode();
    failure.putObject("metadata");
    failure.put("status", "Failure").put("message", message).put("reason", "NonZeroExitCode");
    failure
        .putObject("details")
        .putArray("causes")
        .addObject()
        .put("reason", "ExitCode")
        .put("message", String.valueOf(code));
    tell(socket, failure.toString(), message);
  }

  private void tell(WebSocket socket, String status, String text)
      throws IOException, InterruptedException {
    var said = protocol == ChannelProtocol.V1 ? text : status;
    byte[] bytes = said.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0) {
      socket.send(ChannelProtocol.ERROR, bytes, bytes.length);
    }
  }

  /** One output on its way to the client. */
  private static final class Copy {
    private final InputStream from;
    private final byte channel;
    private final WebSocket socket;
    private final Thread thread;
    private final AtomicLong reads = new AtomicLong(); // how often something came
    private volatile boolean waits; // for the command, not for the client

    Copy(InputStream from, byte channel, WebSocket socket) {
      this.from = from;
      this.channel = channel;
      this.socket = socket;
      this.thread = Thread.ofVirtual().name("talk-output").start(this::run);
    }

    private void run() {
      byte[] buffer = new byte[PIECE];
      try {
        for (int count = next(buffer); count >= 0; count = next(buffer)) {
          socket.send(channel, buffer, count);
        }
      } catch (IOException e) {
        return; // the client or the command has gone; the other thread sees to the rest
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private int next(byte[] buffer) throws IOException {
      waits = true;
      try {
        return from.read(buffer);
      } finally {
        reads.incrementAndGet();
        waits = false;
      }
    }

    /** Waits for the rest, as long as something comes or the client is slow. */
    void finish() throws InterruptedException {
      long before = -1;
      while (!thread.join(LAST_BYTES) && (!waits || reads.get() != before)) {
        before = reads.get();
      }
    }
  }
}
