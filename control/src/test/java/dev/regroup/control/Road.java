package dev.regroup.control;

import dev.regroup.client.Transport;
import dev.regroup.server.ApiServer;
import dev.regroup.server.Identity;
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

  public Way to(ApiServer server) {
    return switch (this) {
      case IN_PROCESS -> new Way(server::inProcess, () -> {});
      case HTTPS -> {
        var https = server.admin().connect(server.address());
        yield new Way(_ -> https, https::close);
      }
    };
  }
}
