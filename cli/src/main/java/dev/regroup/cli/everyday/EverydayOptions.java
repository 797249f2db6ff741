package dev.regroup.cli.everyday;

import dev.regroup.cli.kubeconfig.ConnectionOptions;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Transport;
import dev.regroup.client.https.HttpsTransport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which cluster and which namespace a command is about. */
final class EverydayOptions {

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Where (default: the namespace of the kubeconfig's context).")
  @Nullable String namespace;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  /** An open connection and the namespace that is meant. */
  record Session(HttpsTransport transport, String namespace) implements AutoCloseable {
    @Override
    public void close() {
      transport.close();
    }
  }

  /** What a command does with it. */
  interface Work {
    int run(Session session)
        throws ApiFailure, Transport.Unreachable, CliFailure, InterruptedException;
  }

  /** Does it, and turns what the server refuses into a line and a code. */
  int with(Work work) throws CliFailure, InterruptedException {
    var access = connection.access();
    String where = namespace == null ? access.namespace() : namespace;
    try (var session = new Session(access.open(), where)) {
      return work.run(session);
    } catch (ApiFailure e) {
      throw new CliFailure(
          e.notFound() ? CliFailure.Code.NOT_FOUND : CliFailure.Code.FAILED,
          "the server says: " + e.getMessage(),
          e);
    } catch (Transport.Unreachable e) {
      throw ConnectionOptions.noAnswer(e);
    }
  }
}
