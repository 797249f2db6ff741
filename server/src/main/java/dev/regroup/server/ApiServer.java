package dev.regroup.server;

import dev.regroup.api.Gates;
import dev.regroup.client.Transport;
import dev.regroup.client.metric.Metrics;
import dev.regroup.server.access.Identity;
import dev.regroup.server.resource.JobSets;
import dev.regroup.server.write.ServiceAddresses;
import dev.regroup.store.StoreFailure;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * A running API server: the store, the pipeline and the HTTPS port. {@link #close} stops listening,
 * ends the streams and closes the store.
 */
public interface ApiServer extends AutoCloseable {

  /** Where the addresses of services come from. */
  String SERVICE_RANGE = ServiceAddresses.RANGE;

  /**
   * How a server is started.
   *
   * @param dataDirectory made when absent, owner-only; holds certificates and the store
   * @param port of the loopback address; 0 takes any free one
   * @param jobSets whether JobSet is a built-in kind
   * @param metrics keeps the server's figures; its page is answered at {@code /metrics}
   */
  record Settings(
      Path dataDirectory,
      int port,
      Gates gates,
      InstantSource clock,
      RandomGenerator random,
      Metrics metrics,
      JobSets jobSets) {
    public Settings {
      Objects.requireNonNull(gates, "gates");
      Objects.requireNonNull(dataDirectory, "dataDirectory");
      Objects.requireNonNull(clock, "clock");
      Objects.requireNonNull(random, "random");
      Objects.requireNonNull(metrics, "metrics");
      Objects.requireNonNull(jobSets, "jobSets");
    }

    /** JobSet is built in. */
    public Settings(
        Path dataDirectory,
        int port,
        Gates gates,
        InstantSource clock,
        RandomGenerator random,
        Metrics metrics) {
      this(dataDirectory, port, gates, clock, random, metrics, JobSets.BUILT_IN);
    }

    /** The same server with JobSet built in or left to a definition. */
    public Settings with(JobSets choice) {
      return new Settings(dataDirectory, port, gates, clock, random, metrics, choice);
    }

    /** Keeps no figures. */
    public Settings(
        Path dataDirectory, int port, Gates gates, InstantSource clock, RandomGenerator random) {
      this(dataDirectory, port, gates, clock, random, Metrics.NONE);
    }
  }

  /** Opens a server and lets it listen. */
  static ApiServer start(Settings settings) throws IOException, StoreFailure, InterruptedException {
    var server = open(settings);
    try {
      server.listen();
      return server;
    } catch (IOException | InterruptedException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Opens store and pipeline. The parts that live in this process can use it from here on, while
   * the certificates are still being made.
   *
   * @throws dev.regroup.store.DataDirectoryInUse when another process holds the data directory
   */
  static ApiServer open(Settings settings) throws IOException, StoreFailure, InterruptedException {
    return LocalApiServer.open(settings);
  }

  /**
   * Answers on the port when this returns. Once.
   *
   * @throws IOException when the port or the certificates cannot be had
   */
  void listen() throws IOException, InterruptedException;

  /**
   * Makes the service {@code kubernetes} and its endpoints, and keeps them: deleted, they come
   * again. Once, when it listens.
   *
   * @param address where pods find this machine; the port is the one it listens at
   * @throws IOException when they cannot be made
   */
  void advertise(Inet4Address address) throws IOException, InterruptedException;

  /**
   * Answers at a socket in the file system, too, without TLS: for programs on this machine that
   * were given it and show a token. Once.
   *
   * @throws IOException when it cannot be made, as with a path of more than a hundred characters
   */
  void listenAt(Path socket) throws IOException;

  /** Base address, such as {@code https://127.0.0.1:6443}; known once it listens. */
  URI address();

  /** Known once it listens. */
  AdminCredentials admin();

  /** A transport straight into the pipeline, for the parts that live in this process. */
  Transport inProcess(Identity identity);

  /**
   * Has the listener called when the disk begins to refuse writes and when it takes them again. It
   * must be quick and must not write.
   */
  void onDiskTrouble(Runnable listener);

  /** Tells the server how to reach nodes. Until then logs answer 502. */
  void connectNodes(NodeAccess nodes);

  @Override
  void close();
}
