package dev.regroup.node.service;

import dev.regroup.runtime.PodNetwork.SandboxProcess;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.fabric.Fabric;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Spawn;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A process in a network namespace of its own, attached to a fabric; sockets open inside. */
final class FabricPod implements AutoCloseable {
  private static final int SIGKILL = 9;

  private final Fabric fabric;
  private final PodUid uid;
  private final int pid;
  private final Fd pidfd;
  private final Inet4Address address;

  private FabricPod(Fabric fabric, String name) throws Exception {
    this.fabric = fabric;
    this.uid = new PodUid(name);
    this.pid =
        onFreshThread(() -> {
          Linux.unshare(Linux.CLONE_NEWNET);
          return Spawn.start(Path.of("/bin/sleep"), List.of("sleep", "300"), List.of(), Map.of());
        });
    this.pidfd = Linux.pidfdOpen(pid);
    this.address = fabric.attach(uid, new SandboxProcess(pid, pidfd.number()));
  }

  static FabricPod start(Fabric fabric, String name) throws Exception {
    return new FabricPod(fabric, name);
  }

  Inet4Address address() {
    return address;
  }

  /** Connects, as a client in the pod does. */
  SocketChannel connect(InetSocketAddress to) throws Exception {
    return inside(() -> {
      var channel = SocketChannel.open(StandardProtocolFamily.INET);
      try {
        channel.connect(to);
        return channel;
      } catch (java.io.IOException e) {
        channel.close();
        throw e;
      }
    });
  }

  ServerSocketChannel listen(int port) throws Exception {
    return inside(() ->
        ServerSocketChannel.open(StandardProtocolFamily.INET)
            .bind(new InetSocketAddress(address, port)));
  }

  DatagramChannel datagrams(int port) throws Exception {
    return inside(() ->
        DatagramChannel.open(StandardProtocolFamily.INET)
            .bind(new InetSocketAddress(address, port)));
  }

  @Override
  public void close() throws Exception {
    Linux.pidfdSendSignal(pidfd, SIGKILL);
    while (Linux.reap(pid).isEmpty()) {
      Thread.onSpinWait();
    }
    pidfd.close();
    fabric.detach(uid);
  }

  /** Sockets opened by the task stay in the pod's network. */
  private <T> T inside(Callable<T> task) throws Exception {
    return onFreshThread(() -> {
      try (var namespace = Linux.open(Path.of("/proc/" + pid + "/ns/net"), Linux.O_RDONLY, 0)) {
        Linux.setns(namespace, Linux.CLONE_NEWNET);
      }
      return task.call();
    });
  }

  /** The thread is spoiled by moving, so it ends with the task. */
  private static <T> T onFreshThread(Callable<T> task) throws Exception {
    var future = new FutureTask<>(task);
    Thread.ofPlatform().name("fabric-pod").start(future);
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
