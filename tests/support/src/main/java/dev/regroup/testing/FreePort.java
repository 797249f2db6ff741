package dev.regroup.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port of loopback for a program that has to be told one before it starts. None of those that the
 * kernel gives away by itself: until the program listens, a connection of anybody could have it.
 * Never the same twice in one JVM. Any thread.
 */
public final class FreePort {

  private static final int FIRST = 20_000;
  private static final int COUNT = 10_000; // the kernel's begin at 32768

  /** Another beginning in each JVM: several may look at the same time. */
  private static final AtomicInteger NEXT = new AtomicInteger(new Random().nextInt(COUNT));

  private FreePort() {}

  public static int next() {
    for (int tried = 0; tried < COUNT; tried++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port from " + FIRST + " on");
  }

  private static boolean isFree(int port) {
    try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return true;
    } catch (IOException e) {
      return false; // somebody has it
    }
  }
}
