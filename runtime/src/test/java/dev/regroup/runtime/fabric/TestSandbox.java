package dev.regroup.runtime.fabric;

import dev.regroup.runtime.PodNetwork.SandboxProcess;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Spawn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** A process with a network namespace of its own, and a way to do things inside. */
final class TestSandbox implements AutoCloseable {
  private static final int SIGKILL = 9;

  private final int pid;
  private final Fd pidfd;

  private TestSandbox(int pid, Fd pidfd) {
    this.pid = pid;
    this.pidfd = pidfd;
  }

  static TestSandbox start() throws Exception {
    return onFreshThread(() -> {
      Linux.unshare(Linux.CLONE_NEWNET);
      int pid = Spawn.start(Path.of("/bin/sleep"), List.of("sleep", "300"), List.of(), Map.of());
      return new TestSandbox(pid, Linux.pidfdOpen(pid));
    });
  }

  SandboxProcess process() {
    return new SandboxProcess(pid, pidfd.number());
  }

  int pid() {
    return pid;
  }

  /** Sockets opened by the task stay in the sandbox's network. */
  <T> T inside(Callable<T> task) throws Exception {
    return onFreshThread(() -> {
      try (var namespace = Linux.open(Namespaces.of(pid), Linux.O_RDONLY, 0)) {
        Linux.setns(namespace, Linux.CLONE_NEWNET);
      }
      return task.call();
    });
  }

  @Override
  public void close() throws IOException {
    Linux.pidfdSendSignal(pidfd, SIGKILL);
    while (Linux.reap(pid).isEmpty()) {
      Thread.onSpinWait();
    }
    pidfd.close();
  }

  /** The thread is spoiled by moving, so it ends with the task. */
  private static <T> T onFreshThread(Callable<T> task) throws Exception {
    var future = new FutureTask<>(task);
    Thread.ofPlatform().name("test-sandbox").start(future);
    return future.get();
  }
}
