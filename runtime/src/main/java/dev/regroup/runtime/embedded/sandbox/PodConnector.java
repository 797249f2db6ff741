package dev.regroup.runtime.embedded.sandbox;

import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.linux.Linux;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Opens connections inside the network of a pod. A socket stays in the network it was made in, so a
 * thread goes there, makes it, and ends; it is good for nothing else afterwards.
 */
public final class PodConnector {

  private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress LOOPBACK_6 = InetAddress.ofLiteral("::1");

  private PodConnector() {}

  /** Connects to the pod's loopback. */
  public static SocketChannel connect(Sandbox sandbox, int port)
      throws RuntimeFailure, InterruptedException {
    try {
      return connect(sandbox, StandardProtocolFamily.INET, new InetSocketAddress(LOOPBACK, port));
    } catch (IOException first) {
      try {
        return connect(
            sandbox, StandardProtocolFamily.INET6, new InetSocketAddress(LOOPBACK_6, port));
      } catch (IOException second) {
        throw new RuntimeFailure(
            Kind.SYSTEM,
            ("failed to connect to localhost:%d inside the pod, IPv4: dial tcp4 127.0.0.1:%d: %s"
                    + " IPv6 dial tcp6 [::1]:%d: %s")
                .formatted(port, port, reason(first), port, reason(second)),
            first);
      }
    }
  }

  private static String reason(IOException e) {
    return "connect: " + String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
  }

  private static SocketChannel connect(
      Sandbox sandbox, StandardProtocolFamily family, InetSocketAddress address)
      throws IOException, InterruptedException {
    var channel = open(sandbox, family);
    try {
      channel.connect(address);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static SocketChannel open(Sandbox sandbox, StandardProtocolFamily family)
      throws IOException, InterruptedException {
    var pidfd = sandbox.supervisor().orElseThrow().pidfd();
    var opened =
        new FutureTask<>(() -> {
          Linux.setns(pidfd, Linux.CLONE_NEWNET);
          return SocketChannel.open(family);
        });
    Thread.ofPlatform().name("pod-socket").daemon().start(opened);
    try {
      return opened.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException refused) {
        throw refused;
      }
      throw new IOException("the pod's network is gone", e.getCause());
    }
  }
}
