package dev.regroup.agent;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * An agent beside the worker (JS-130). The barrier is its startup probe: before the lift nobody
 * listens, then every probe of the known paths is answered with 200. To restart it ends, and the
 * node restarts all containers of the pod.
 */
final class SidecarBody implements AgentBody {

  private static final int PROBE_MILLIS = 1_000;
  private static final int LONGEST_REQUEST = 4_096;

  private final AgentConfig config;
  private final AttemptFile file;
  private @Nullable ServerSocket door;

  SidecarBody(AgentConfig config) {
    this.config = config;
    this.file = new AttemptFile(config.restartDirectory());
  }

  @Override
  public void prepare() {}

  @Override
  public void run(OptionalInt attempt) throws IOException {
    if (door != null) {
      return;
    }
    if (attempt.isPresent()) {
      file.write(attempt.getAsInt());
    }
    try {
      door = new ServerSocket(config.port());
    } catch (IOException e) {
      throw new IOException(
          "STARTUP_PROBE_PORT: cannot listen on port "
              + config.port()
              + " (pods with hostNetwork on one node need different ones): "
              + e.getMessage(),
          e);
    }
    ServerSocket listening = door;
    var thread = new Thread(() -> answer(listening), "probe");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public boolean restart() {
    return false;
  }

  @Override
  public boolean working() {
    return false;
  }

  @Override
  public void end() {}

  private void answer(ServerSocket listening) {
    while (true) {
      try (Socket probe = listening.accept()) {
        probe.setSoTimeout(PROBE_MILLIS);
        String status = known(path(probe)) ? "200 OK" : "404 Not Found";
        probe
            .getOutputStream()
            .write(
                ("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
      } catch (IOException _) {
        // a probe that broke off: there will be others
      }
    }
  }

  private boolean known(String path) {
    return path.equals(config.path())
        || path.equals(AgentConfig.RELEASED_PATH)
        || path.equals(AgentConfig.DRAFT_PATH);
  }

  /** Reads the request to the end of its head: closing with bytes unread would reset the line. */
  private static String path(Socket probe) throws IOException {
    var in = probe.getInputStream();
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0 && head.length() < LONGEST_REQUEST) {
      int c = in.read();
      if (c < 0) {
        break;
      }
      head.append((char) c);
    }
    String[] words = head.toString().split("[ ?\r]", 3);
    return words.length > 1 ? words[1] : "";
  }
}
