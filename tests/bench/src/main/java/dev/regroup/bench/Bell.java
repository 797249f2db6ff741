package dev.regroup.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * How workers and the benchmark talk, whoever started them: a worker rings when its code runs, and
 * ends when it is told to. Named pipes in one directory, so that neither side polls and a container
 * and a bare process do exactly the same.
 */
final class Bell implements AutoCloseable {

  /** The exit code of a worker that was told to end. */
  static final int TOLD = 7;

  private static final String RINGS = "rings";
  private static final String END = "/end";
  private static final long PATIENCE_SECONDS = 30;

  /** Whether a worker handles SIGTERM. */
  enum Manners {
    /** It ends at once. */
    POLITE,
    /** It has no handler: as PID 1 it cannot even receive the signal. */
    DEAF
  }

  /** A worker said that it runs. */
  record Ring(String worker, long nanos, Instant at) {}

  private final Path directory;
  private final RandomAccessFile rings;
  private final Map<String, RandomAccessFile> orders = new LinkedHashMap<>();
  private final BlockingQueue<Ring> rung = new LinkedBlockingQueue<>();
  private final Thread reader;

  Bell(Path directory, List<String> workers) throws IOException, InterruptedException {
    this.directory = Files.createDirectories(directory);
    var pipes = new ArrayList<String>();
    pipes.add(RINGS);
    workers.forEach(worker -> pipes.add("end-" + worker));
    make(pipes);
    this.rings = open(RINGS);
    for (String worker : workers) {
      orders.put(worker, open("end-" + worker));
    }
    this.reader = Thread.ofPlatform().name("bell").daemon().start(this::listen);
  }

  Path directory() {
    return directory;
  }

  /**
   * The program of a worker; {@code $BELL} is this directory as it sees it, {@code $WORKER} its
   * name. Only the shell itself: nothing is forked.
   */
  static List<String> command(Manners manners) {
    String trap =
        switch (manners) {
          case POLITE -> "trap 'exit 0' TERM; ";
          case DEAF -> "";
        };
    return List.of(
        "/bin/sh",
        "-c",
        trap + "echo $WORKER >$BELL/rings; read line <$BELL/end-$WORKER; exit " + TOLD);
  }

  /** Tells a worker to end. */
  void end(String worker) throws IOException {
    var order = orders.get(worker);
    if (order == null) {
      throw new IllegalArgumentException("no worker " + worker);
    }
    order.write('\n');
  }

  /** Waits until each of them has rung and returns the last ring. */
  Ring awaitAll(Set<String> workers) throws InterruptedException {
    var missing = new HashSet<>(workers);
    while (true) {
      var ring = rung.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (ring == null) {
        throw new IllegalStateException("workers that did not start in time: " + missing);
      }
      if (!missing.remove(ring.worker())) {
        throw new IllegalStateException("a worker started that nobody expected: " + ring);
      }
      if (missing.isEmpty()) {
        return ring;
      }
    }
  }

  @Override
  public void close() throws IOException {
    rings.write((END + "\n").getBytes(StandardCharsets.UTF_8));
    try {
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it is a daemon and ends by itself
    }
    rings.close();
    for (var order : orders.values()) {
      order.close();
    }
  }

  private void listen() {
    // Not closed: closing the reader would close the pipe that close() closes.
    var lines =
        new BufferedReader(
            new InputStreamReader(
                Channels.newInputStream(rings.getChannel()), StandardCharsets.UTF_8));
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(END)) {
          return;
        }
        rung.add(new Ring(line, System.nanoTime(), Instant.now()));
      }
    } catch (IOException e) {
      throw new IllegalStateException("the bell broke", e);
    }
  }

  /** Open for both directions: opening does not wait for the other side, and never sees its end. */
  private RandomAccessFile open(String pipe) throws IOException {
    return new RandomAccessFile(directory.resolve(pipe).toFile(), "rw");
  }

  private void make(List<String> pipes) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("mkfifo", "-m", "600"));
    pipes.forEach(pipe -> command.add(directory.resolve(pipe).toString()));
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException("mkfifo failed with " + code);
    }
  }
}
