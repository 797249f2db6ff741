package dev.regroup.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.bench.outside.OutsideClients;
import dev.regroup.bench.outside.ServerOutside;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.server.AdminCredentials;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** {@code regroup up} as a process of its own, with the options of its launcher. */
final class OutsideServer implements ServerOutside {

  private static final long PATIENCE_SECONDS = 60;

  private static final Path LAUNCHER = Path.of("bin", "regroup");

  private final Process process;
  private final Path data;
  private final Path kubeconfig;
  private final OutsideClients clients;

  private OutsideServer(Process process, Path data, Path kubeconfig) throws IOException {
    this.process = process;
    this.data = data;
    this.kubeconfig = kubeconfig;
    var text = Files.readString(kubeconfig);
    this.clients =
        new OutsideClients(
            URI.create(found(text, "server")),
            new AdminCredentials(
                pem(text, "certificate-authority-data"),
                pem(text, "client-certificate-data"),
                pem(text, "client-key-data")));
  }

  /** Returns when it says that it is ready. */
  static OutsideServer start(Path folder) throws IOException {
    var data = folder.resolve("data");
    var kubeconfig = folder.resolve("kubeconfig");
    var command = new ArrayList<>(ServerStartBench.java());
    command.addAll(options());
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

  /** What the launcher tells the virtual machine. */
  private static List<String> options() throws IOException {
    for (var line : Files.readAllLines(LAUNCHER)) {
      if (line.startsWith("exec \"$jdk/bin/java\" ")) {
        return Arrays.stream(line.split(" ", -1)).filter(word -> word.startsWith("-")).toList();
      }
    }
    throw new IOException(LAUNCHER + " starts no Java");
  }

  @Override
  public OutsideClients clients() {
    return clients;
  }

  @Override
  public Duration cpu() {
    return process.toHandle().info().totalCpuDuration().orElseThrow();
  }

  @Override
  public double megabytes() throws IOException {
    return ServerOutside.megabytes(process.pid());
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

  @Override
  public void close() {
    clients.close();
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
