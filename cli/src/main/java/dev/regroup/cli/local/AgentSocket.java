package dev.regroup.cli.local;

import dev.regroup.server.ApiServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder through which agents in containers of this machine reach the API server without TLS,
 * which would be most of their start. It is mounted into nothing else, and the folder above it is
 * its owner's only. Opened when the first agent starts, and by every later program. Where it cannot
 * be, the folder stays empty and agents go by the network.
 */
final class AgentSocket {

  private static final Logger LOG = LoggerFactory.getLogger(AgentSocket.class);

  private final Path folder;
  private final ApiServer server;
  private boolean tried;

  AgentSocket(Path folder, ApiServer server) {
    this.folder = folder;
    this.server = server;
  }

  /** For agents that were started by an earlier program; nobody else needs it yet. */
  void openAgain() throws IOException {
    if (Files.isDirectory(folder)) {
      var _ = open();
    }
  }

  /** What to mount. */
  synchronized Path open() throws IOException {
    if (!tried) {
      tried = true;
      Files.createDirectories(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      try {
        server.listenAt(folder.resolve("api"));
      } catch (IOException e) {
        LOG.debug("agents go by the network", e);
      }
    }
    return folder;
  }
}
