package dev.regroup.control;

import dev.regroup.client.Transport;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import java.io.IOException;
import java.util.function.Function;

/** How controllers reach the real server: every test goes every road. */
public enum Road {
  IN_PROCESS,
  /** As the administrator, whoever asks: there is one certificate. */
  HTTPS;

  /** A road that is open until it is closed. */
  public record Way(Function<Identity, Transport> transports, Runnable ending)
      implements AutoCloseable {

    public Transport as(Identity identity) {
      return transports.apply(identity);
    }

    @Override
    public void close() {
      ending.run();
    }
  }

  /** Has a server that is open listen if the road needs that. */
  public Way to(ApiServer server) throws IOException, InterruptedException {
    return switch (this) {
      case IN_PROCESS -> new Way(server::inProcess, () -> {});
      case HTTPS -> {
        server.listen();
        var https = server.admin().connect(server.address());
        yield new Way(_ -> https, https::close);
      }
    };
  }
}
