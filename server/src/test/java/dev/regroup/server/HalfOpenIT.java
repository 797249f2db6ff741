package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A peer that is gone without a word: server and client in a network of their own, whose only link
 * goes down before the client is killed. Nothing tells the server but its own questions. It takes a
 * minute of waiting: the other tests go on meanwhile.
 */
@Order(1)
class HalfOpenIT {

  /** 30 s without a byte, then three questions 10 s apart. */
  private static final Duration NOTICED = Duration.ofSeconds(100);

  private static final String ESTABLISHED = "01";

  @TempDir Path directory;
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void stop() throws InterruptedException {
    for (Process process : processes) {
      process.destroyForcibly();
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void a_watch_whose_peer_has_vanished_is_closed_within_a_minute_or_so() throws Exception {
    boolean root = "root".equals(System.getProperty("user.name"));
    Assumptions.assumeTrue(root, "a network of its own needs root");
    var server =
        start(
            List.of("unshare", "-n", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"),
            ServeByHand.class,
            directory.toString());
    String line = server.inputReader().readLine();
    assertThat(line).startsWith("https://");
    String address = line.substring(0, line.indexOf(' '));
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    var inside = List.of("nsenter", "-n", "-t", "" + server.pid());
    var client = start(inside, HoldWatch.class, address, directory.toString());
    assertThat(client.inputReader().readLine()).isEqualTo("watching");
    assertThat(connections(server, port)).isPositive();
    awaitAcknowledged(server, port);

    var down = new ArrayList<>(inside);
    down.addAll(List.of("ip", "link", "set", "lo", "down"));
    assertThat(new ProcessBuilder(down).inheritIO().start().waitFor()).isZero();
    client.destroyForcibly().waitFor();
    assertThat(connections(server, port)).as("nobody has told the server").isPositive();

    long begun = System.nanoTime();
    while (connections(server, port) > 0) {
      var waited = Duration.ofNanos(System.nanoTime() - begun);
      assertThat(waited).as("a dead peer is still connected").isLessThan(NOTICED);
      LockSupport.parkNanos(200_000_000); // the kernel tells only the server
    }
    System.out.printf(
        "half open: noticed after %d s%n", (System.nanoTime() - begun) / 1_000_000_000);
    assertThat(server.isAlive()).isTrue();
  }

  private Process start(List<String> prefix, Class<?> program, String... arguments)
      throws IOException {
    var command = new ArrayList<>(prefix);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName()));
    command.addAll(List.of(arguments));
    processes.add(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    return processes.getLast();
  }

  /** With bytes on their way the kernel tries for a quarter of an hour instead of asking. */
  private static void awaitAcknowledged(Process server, int port) throws IOException {
    long begun = System.nanoTime();
    while (rows(server, port).stream().anyMatch(row -> !row[4].startsWith("00000000:"))) {
      var waited = Duration.ofNanos(System.nanoTime() - begun);
      assertThat(waited).as("bytes on their way").isLessThan(NOTICED);
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Those that the server's end of the network holds to be alive. */
  private static int connections(Process server, int port) throws IOException {
    return rows(server, port).size();
  }

  private static List<String[]> rows(Process server, int port) throws IOException {
    String local = ":%04X".formatted(port);
    var found = new ArrayList<String[]>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String row : Files.readAllLines(Path.of("/proc/" + server.pid() + "/net/" + table))) {
        String[] fields = row.strip().split("\\s+");
        if (fields[1].endsWith(local) && fields[3].equals(ESTABLISHED)) {
          found.add(fields);
        }
      }
    }
    return found;
  }
}
