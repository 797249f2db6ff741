package dev.regroup.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * The worker as a child of the agent, and everything that descends from it. The agent is process 1
 * of its container or adopts orphans as that would, so nothing the worker started can leave its
 * sight: when there is no child left, nothing of the worker is left.
 *
 * <p>One thread collects whoever ends. The methods may be called from any thread.
 */
final class WorkerProcess {

  private static final int SIGTERM = 15;
  private static final int SIGKILL = 9;
  private static final long SWEEP_MILLIS = 50;
  private static final Duration UNKILLABLE = Duration.ofSeconds(30);

  private final IntConsumer ended;
  private boolean prepared;
  private boolean closed;
  private int worker; // 0: none
  private int group; // of the last worker
  private boolean children; // whether any child may be there

  /** {@code ended} is told the exit code of each worker, on the collecting thread. */
  WorkerProcess(IntConsumer ended) {
    this.ended = ended;
  }

  synchronized void prepare() {
    if (prepared) {
      return;
    }
    prepared = true;
    Libc.adoptOrphans();
    var thread = new Thread(this::collect, "children");
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts the command line in a shell; nothing happens after the last {@link #signal}. */
  void start(Map<String, String> variables) throws IOException {
    String shell = shell();
    prepare();
    synchronized (this) {
      if (closed) {
        return;
      }
      var arguments =
          List.of(
              shell.getBytes(StandardCharsets.UTF_8),
              new byte[] {'-', 'c'},
              Libc.variable("WORKER_COMMAND"));
      worker = Libc.spawn(shell, arguments, variables);
      group = worker;
      children = true;
      notifyAll();
    }
  }

  synchronized boolean running() {
    return worker != 0;
  }

  /**
   * Hands a signal on to the worker and its group.
   *
   * @param last no worker is started any more
   * @return false when none runs
   */
  synchronized boolean signal(int number, boolean last) {
    closed |= last;
    if (worker == 0) {
      return false;
    }
    Libc.kill(-group, number);
    return true;
  }

  /**
   * Ends the worker and everything it started: SIGTERM to its group, SIGKILL to all after this
   * time.
   */
  void stop(Duration grace) throws IOException, InterruptedException {
    synchronized (this) {
      if (children && group != 0 && !grace.isZero()) {
        Libc.kill(-group, SIGTERM);
      }
    }
    if (awaitNoChildren(grace.toMillis())) {
      return;
    }
    long deadline = System.nanoTime() + UNKILLABLE.toNanos();
    do {
      kill();
      if (awaitNoChildren(SWEEP_MILLIS)) {
        return;
      }
    } while (System.nanoTime() < deadline);
    throw new IOException("a process of the worker cannot be killed");
  }

  /** SIGKILL to whatever is left now. */
  void kill() {
    synchronized (this) {
      if (!children) {
        return;
      }
      Libc.kill(-group, SIGKILL);
    }
    ProcessHandle.current().descendants().forEach(one -> Libc.kill((int) one.pid(), SIGKILL));
  }

  private synchronized boolean awaitNoChildren(long millis) throws InterruptedException {
    long deadline = System.nanoTime() + millis * 1_000_000;
    while (children) {
      long left = (deadline - System.nanoTime() + 999_999) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  private void collect() {
    try {
      while (true) {
        awaitChildren();
        collectOne();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void awaitChildren() throws InterruptedException {
    while (!children) {
      wait();
    }
  }

  private void collectOne() {
    var one = Libc.waitForAny();
    int code;
    synchronized (this) {
      if (one.pid() < 0) {
        children = worker != 0; // a worker that is still counted was started just now
        notifyAll();
        return;
      }
      if (one.pid() != worker) {
        return; // an orphan
      }
      worker = 0;
      code = one.code();
    }
    ended.accept(code);
  }

  /** JS-132; {@code sh} where there is no bash, as in small images. */
  private static String shell() throws IOException {
    String asked = System.getenv().getOrDefault("SHELL", "");
    for (String name : List.of(asked, "bash", "sh")) {
      if (name.startsWith("/") && Files.isExecutable(Path.of(name))) {
        return name;
      }
      if (name.isEmpty() || name.indexOf('/') >= 0) {
        continue;
      }
      for (String folder : System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(":", -1)) {
        Path file = Path.of(folder.isEmpty() ? "." : folder, name);
        if (Files.isExecutable(file) && !Files.isDirectory(file)) {
          return file.toString();
        }
      }
    }
    throw new IOException("no shell for WORKER_COMMAND (set SHELL, or put bash or sh on PATH)");
  }
}
