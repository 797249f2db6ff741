package dev.regroup.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.https.HttpsTransport;
import dev.regroup.server.AdminCredentials;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * {@code regroup up} as a process of its own, with the options of its launcher, and ways to it over
 * HTTPS: what its clients wait for is measured here, what it costs is asked of the kernel.
 */
final class OutsideServer implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;

  /** As {@code bin/regroup} starts it. */
  private static final List<String> LAUNCHER =
      List.of(
          "-Xms72m",
          "-XX:NewSize=32m",
          "-XX:+UseSerialGC",
          "-XX:MinHeapFreeRatio=20",
          "-XX:MaxHeapFreeRatio=40",
          "-XX:-ShrinkHeapInSteps",
          "-XX:+UseCompactObjectHeaders",
          "--sun-misc-unsafe-memory-access=allow");

  private final Process process;
  private final Path data;
  private final Path kubeconfig;
  private final URI address;
  private final AdminCredentials admin;
  private final List<HttpsTransport> connections = new ArrayList<>();

  private OutsideServer(Process process, Path data, Path kubeconfig) throws IOException {
    this.process = process;
    this.data = data;
    this.kubeconfig = kubeconfig;
    var text = Files.readString(kubeconfig);
    this.address = URI.create(found(text, "server"));
    this.admin =
        new AdminCredentials(
            pem(text, "certificate-authority-data"),
            pem(text, "client-certificate-data"),
            pem(text, "client-key-data"));
  }

  /** Returns when it says that it is ready. */
  static OutsideServer start(Path folder) throws IOException {
    var data = folder.resolve("data");
    var kubeconfig = folder.resolve("kubeconfig");
    var command = new ArrayList<>(ServerStartBench.java());
    command.addAll(LAUNCHER);
    command.addAll(ServerStartBench.program());
    command.addAll(List.of("up", "--port", "0", "--data-dir", data.toString()));
    command.addAll(List.of("--kubeconfig", kubeconfig.toString()));
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putIfAbsent("MALLOC_ARENA_MAX", "2");
    var process = builder.start();
    try {
      var out = process.inputReader(UTF_8);
      var line = out.readLine();
      while (line != null && !line.startsWith("regroup is ready")) {
        line = out.readLine();
      }
      if (line == null) {
        throw new IOException("the server ended before it was ready");
      }
      return new OutsideServer(process, data, kubeconfig);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** Another connection, closed with the server. */
  Transport connect() {
    var connection = admin.connect(address);
    connections.add(connection);
    return connection;
  }

  List<Transport> connect(int count) {
    var several = new ArrayList<Transport>();
    for (int i = 0; i < count; i++) {
      several.add(connect());
    }
    return several;
  }

  /** How long its threads have run, all together. */
  Duration cpu() {
    return process.toHandle().info().totalCpuDuration().orElseThrow();
  }

  /** What it holds of this machine's memory. */
  double megabytes() throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
      if (line.startsWith("VmRSS:")) {
        return Double.parseDouble(line.replaceAll("\\D", "")) / 1024;
      }
    }
    throw new IOException("the server has no memory: it has ended");
  }

  /** Waits until pods can be created: their service account comes a moment after the start. */
  static void awaitAccount(Transport transport) throws IOException, InterruptedException {
    var accounts = "/api/v1/namespaces/default/serviceaccounts";
    try (var stream = transport.open(Request.get(accounts, "watch=true"))) {
      var frame = stream.next();
      while (frame != null && !new String(frame, UTF_8).contains("\"name\":\"default\"")) {
        frame = stream.next();
      }
    }
  }

  /** Sends JSON and insists on success. */
  static Response send(
      Transport transport, String method, String path, String mediaType, String body)
      throws IOException, InterruptedException {
    var headers = Headers.of("content-type", mediaType);
    var response = transport.send(new Request(method, path, "", headers, body.getBytes(UTF_8)));
    if (!response.ok()) {
      throw new IOException(
          "%s %s: HTTP %d %s"
              .formatted(method, path, response.status(), new String(response.body(), UTF_8)));
    }
    return response;
  }

  @Override
  public void close() {
    connections.forEach(HttpsTransport::close);
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      ServerStartBench.down(data, kubeconfig);
    } catch (IOException e) {
      System.err.println("bench: the server's network may be left behind: " + e.getMessage());
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static String pem(String kubeconfig, String name) {
    return new String(Base64.getDecoder().decode(found(kubeconfig, name)), UTF_8);
  }

  private static String found(String kubeconfig, String name) {
    var matcher = Pattern.compile("\\b" + name + ": *\"?([^\"\\s]+)").matcher(kubeconfig);
    if (!matcher.find()) {
      throw new IllegalStateException("the kubeconfig has no " + name);
    }
    return matcher.group(1);
  }
}
