package dev.regroup.runtime.fabric;

import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Moves the fabric's thread between network namespaces.
 *
 * <p>INVARIANT: outside of a method the thread is inside the fabric. A visit lasts only as long as
 * it takes to open a socket, which stays in the namespace it was opened in.
 */
final class Namespaces {
  private final Path host;

  private Namespaces(Path host) {
    this.host = host;
  }

  /** Called before the thread has moved anywhere. */
  static Namespaces fromHost() throws IOException {
    return new Namespaces(Files.readSymbolicLink(Path.of("/proc/thread-self/ns/net")));
  }

  static Path of(int pid) {
    return Path.of("/proc/" + pid + "/ns/net");
  }

  static Fd openOwn() throws SyscallFailure {
    return Linux.open(Path.of("/proc/thread-self/ns/net"), Linux.O_RDONLY, 0);
  }

  /** Nobody's eth0 may ever be configured in the host's network or in the fabric itself. */
  void refuseOwn(Fd sandbox, Fd fabric) throws IOException {
    Path namespace = identity(sandbox);
    if (namespace.equals(host) || namespace.equals(identity(fabric))) {
      throw new IOException("the sandbox has no network namespace of its own");
    }
  }

  /** Opens a socket in another namespace and comes back. */
  NetlinkSocket visit(Fd other, Fd fabric) throws SyscallFailure {
    Linux.setns(other, Linux.CLONE_NEWNET);
    try {
      return NetlinkSocket.open();
    } finally {
      comeBack(fabric);
    }
  }

  private static void comeBack(Fd fabric) {
    try {
      Linux.setns(fabric, Linux.CLONE_NEWNET);
    } catch (SyscallFailure e) {
      throw new FabricThread.Lost(e);
    }
  }

  private static Path identity(Fd namespace) throws IOException {
    return Files.readSymbolicLink(Path.of("/proc/self/fd/" + namespace.number()));
  }
}
