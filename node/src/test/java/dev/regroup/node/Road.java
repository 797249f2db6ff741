package dev.regroup.node;

import dev.regroup.client.Transport;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import java.util.function.Function;

/** How a node and its test reach the real server: every test goes every road. */
enum Road {
  IN_PROCESS,
  /** As the administrator, whoever asks: there is one certificate. */
  HTTPS;

  /** A road that is open until it is closed. */
  record Way(Function<Identity, Transport> transports, Runnable ending) implements AutoCloseable {

    Transport as(Identity identity) {
      return transports.apply(identity);
    }

    @Override
    public void close() {
      ending.run();
    }
  }

  Way to(ApiServer server) {
    return switch (this) {
      case IN_PROCESS -> new Way(server::inProcess, () -> {});
      case HTTPS -> {
        var https = server.admin().connect(server.address());
        yield new Way(_ -> https, https::close);
      }
    };
  }
}
