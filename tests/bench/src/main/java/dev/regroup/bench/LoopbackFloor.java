package dev.regroup.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** The floor of everything that moves bytes: a bare connection inside of this machine. */
final class LoopbackFloor {

  private LoopbackFloor() {}

  /** How long until all these bytes have arrived, written piece by piece. */
  static Duration send(int pieces, int bytes) throws IOException, InterruptedException {
    try (var door = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
        var sender = new Socket(door.getInetAddress(), door.getLocalPort());
        var receiver = door.accept()) {
      var piece = new byte[bytes];
      long all = (long) pieces * bytes;
      Callable<Long> read = () -> arrived(receiver, all);
      var arrival = new FutureTask<>(read);
      Thread.ofVirtual().start(arrival);
      long begin = System.nanoTime();
      var out = sender.getOutputStream();
      for (int i = 0; i < pieces; i++) {
        out.write(piece);
      }
      return Duration.ofNanos(arrival.get() - begin);
    } catch (ExecutionException e) {
      throw new IOException("the bytes did not arrive", e.getCause());
    }
  }

  private static long arrived(Socket receiver, long all) throws IOException {
    var buffer = new byte[64 << 10]; // 64 KiB
    var in = receiver.getInputStream();
    for (long left = all; left > 0; ) {
      int read = in.read(buffer);
      if (read < 0) {
        throw new IOException("the connection ended");
      }
      left -= read;
    }
    return System.nanoTime();
  }
}
