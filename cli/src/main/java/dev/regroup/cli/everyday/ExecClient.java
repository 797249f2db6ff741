package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.QueryString;
import dev.regroup.client.https.HttpsTransport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a command in a container over a WebSocket, as {@code v5.channel.k8s.io} has it: each message
 * begins with a byte that says whether it is input, output, errors, the end or the window's size.
 */
public final class ExecClient {

  private static final String PROTOCOL = "v5.channel.k8s.io";
  private static final int STDIN = 0;
  private static final int STDOUT = 1;
  private static final int STDERR = 2;
  private static final int STATUS = 3;
  private static final int RESIZE = 4;
  private static final int CLOSE = 255;
  private static final int PIECE = 16 * 1024; // bytes of input in one message

  /** The size of a terminal. */
  public record Window(int columns, int rows) {}

  /** A terminal whose size may change. */
  public interface Windows {
    Window now() throws InterruptedException;

    /** From now on this is told each new size. */
    void follow(Consumer<Window> changed);
  }

  /**
   * What is to run, and who hears it.
   *
   * @param windows of the terminal it gets; null for pipes
   * @param input null for none
   */
  public record Call(
      ObjectKey pod,
      String container,
      List<String> command,
      @Nullable Windows windows,
      @Nullable InputStream input,
      OutputStream output,
      OutputStream errors) {}

  private final HttpsTransport transport;

  public ExecClient(HttpsTransport transport) {
    this.transport = transport;
  }

  /** Runs it to its end and returns its exit code. */
  public int run(Call call) throws CliFailure, InterruptedException {
    var query =
        new QueryString()
            .add("container", call.container())
            .add("stdin", call.input() == null ? "" : "true")
            .add("stdout", "true")
            .add("stderr", call.windows() == null ? "true" : "")
            .add("tty", call.windows() == null ? "" : "true");
    call.command().forEach(word -> query.add("command", word));
    var listener = new Listener(call);
    try {
      var socket =
          transport
              .webSocket(Kinds.PODS.path(call.pod(), "exec") + "?" + query, PROTOCOL, listener)
              .get();
      var sender = new Sender(socket);
      var windows = call.windows();
      if (windows != null) {
        windows.follow(sender::resize);
        sender.resize(windows.now());
      }
      var input = call.input();
      if (input != null) {
        Thread.ofPlatform() // a read of a terminal cannot be interrupted
            .daemon()
            .name("exec-input")
            .start(() -> sender.sendAll(input));
      }
      return code(listener.status.get());
    } catch (ExecutionException e) {
      throw new CliFailure(
          "%s: %s".formatted(call.pod().name(), refusal(e.getCause())), e.getCause());
    }
  }

  private static String refusal(@Nullable Throwable cause) {
    if (cause instanceof CompletionException wrapped) {
      return refusal(wrapped.getCause());
    }
    if (cause instanceof WebSocketHandshakeException refused) {
      int code = refused.getResponse().statusCode();
      return "the server refuses the command with status "
          + code
          + switch (code) {
            case 403 -> " (it needs the right to create pods/exec)";
            case 404 -> " (no such pod or container)";
            default -> "";
          };
    }
    return cause == null ? "no answer" : String.valueOf(cause.getMessage());
  }

  private static int code(JsonNode status) throws CliFailure {
    if (Trees.text(status, "status").equals("Success")) {
      return 0;
    }
    for (var cause : Trees.objects(status, "details", "causes")) {
      if (Trees.text(cause, "reason").equals("ExitCode")) {
        return Trees.decimal(Trees.text(cause, "message")).orElse(1);
      }
    }
    String words = Trees.text(status, "message");
    throw new CliFailure(words.isEmpty() ? "the connection broke off" : words);
  }

  /** One message after another, whoever has something to say. */
  private static final class Sender {

    private final WebSocket socket;
    private final Lock turn = new ReentrantLock();

    Sender(WebSocket socket) {
      this.socket = socket;
    }

    /** Tells the command how large its window is. */
    void resize(Window window) {
      var size = Wire.object().put("Width", window.columns()).put("Height", window.rows());
      try {
        send(message(RESIZE, size.toString().getBytes(StandardCharsets.UTF_8)));
      } catch (CompletionException e) {
        return; // the command has ended
      }
    }

    void sendAll(InputStream input) {
      byte[] piece = new byte[PIECE];
      try {
        for (int n = input.read(piece); n >= 0; n = input.read(piece)) {
          send(message(STDIN, Arrays.copyOf(piece, n)));
        }
        send(ByteBuffer.wrap(new byte[] {(byte) CLOSE, STDIN}));
      } catch (IOException | CompletionException e) {
        return; // the command has ended, and nobody listens any more
      }
    }

    private void send(ByteBuffer message) {
      turn.lock();
      try {
        socket.sendBinary(message, true).join();
      } finally {
        turn.unlock();
      }
    }

    private static ByteBuffer message(int channel, byte[] bytes) {
      return ByteBuffer.allocate(bytes.length + 1).put((byte) channel).put(bytes).flip();
    }
  }

  /** Gives each message to whom it is for. */
  private static final class Listener implements WebSocket.Listener {

    private final Call call;
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private final CompletableFuture<JsonNode> status = new CompletableFuture<>();

    Listener(Call call) {
      this.call = call;
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      message.writeBytes(bytes);
      if (last) {
        take(message.toByteArray());
        message.reset();
      }
      socket.request(1);
      return null;
    }

    private void take(byte[] all) {
      if (all.length == 0) {
        return;
      }
      byte[] bytes = Arrays.copyOfRange(all, 1, all.length);
      try {
        switch (all[0]) {
          case STDOUT -> write(call.output(), bytes);
          case STDERR -> write(call.errors(), bytes);
          case STATUS -> status.complete(Wire.tree(bytes));
          default -> {} // the good-bye of one stream
        }
      } catch (IOException e) {
        status.completeExceptionally(e);
      }
    }

    private static void write(OutputStream out, byte[] bytes) throws IOException {
      out.write(bytes);
      out.flush();
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      status.complete(Wire.object()); // unless it was told before
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      status.completeExceptionally(error);
    }
  }
}
