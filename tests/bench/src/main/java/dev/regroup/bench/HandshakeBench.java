package dev.regroup.bench;

import dev.regroup.bench.outside.OutsideClients;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * What a new client costs the server before its first request: a whole TLS handshake, as every
 * agent makes that has just started, without a certificate of its own. The floor is a connection
 * that is opened and closed.
 */
final class HandshakeBench implements Benchmark {

  private static final int OF_A_ROUND = 200;
  private static final int WARM_UP = 5;

  @Override
  public String name() {
    return "outside-handshake";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    var times = new ArrayList<Duration>();
    var floors = new ArrayList<Duration>();
    var cpu = new ArrayList<Double>();
    var cpuFloors = new ArrayList<Double>();
    try (var server = OutsideServer.start(folder)) {
      for (int round = 0; round < WARM_UP + Math.max(3, effort.rounds() / 5); round++) {
        var before = server.cpu();
        var floor = plain(server.clients());
        var between = server.cpu();
        var time = secure(server.clients());
        var after = server.cpu();
        if (round >= WARM_UP) {
          floors.add(floor);
          times.add(time);
          cpuFloors.add(Math.max(0.01, millis(between.minus(before))));
          cpu.add(millis(after.minus(between)));
        }
      }
    }
    return List.of(
        new Figure(name(), Figure.Unit.MILLIS, Samples.ofMillis(times), Samples.ofMillis(floors)),
        new Figure(name() + "-cpu", Figure.Unit.MILLIS, new Samples(cpu), new Samples(cpuFloors)));
  }

  private static double millis(Duration all) {
    return all.toNanos() / 1e6 / OF_A_ROUND;
  }

  private static Duration plain(OutsideClients server) throws Exception {
    long begin = System.nanoTime();
    for (int i = 0; i < OF_A_ROUND; i++) {
      new Socket(InetAddress.ofLiteral("127.0.0.1"), server.port()).close();
    }
    return Duration.ofNanos((System.nanoTime() - begin) / OF_A_ROUND);
  }

  /** Each with a context of its own, so that none takes up the session of another. */
  static Duration secure(OutsideClients server) throws Exception {
    var contexts = new ArrayList<SSLContext>();
    for (int i = 0; i < OF_A_ROUND; i++) {
      contexts.add(server.stranger());
    }
    long begin = System.nanoTime();
    for (var context : contexts) {
      try (var socket =
          (SSLSocket)
              context
                  .getSocketFactory()
                  .createSocket(InetAddress.ofLiteral("127.0.0.1"), server.port())) {
        socket.startHandshake();
      }
    }
    return Duration.ofNanos((System.nanoTime() - begin) / OF_A_ROUND);
  }
}
