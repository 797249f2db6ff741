package dev.regroup.e2e;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program, mostly {@code regroup}, as a process of its own, so that a test can kill it. Both
 * output streams are kept line by line; a test waits for a line with a deadline. An ERROR line in
 * them fails the test that did not announce it ({@link dev.regroup.testing.ExpectsError}).
 */
public final class Program implements AutoCloseable {

  public static final int KILLED = 137; // 128 + SIGKILL

  /** The jar of the cli module: on the class path once the same build has packaged it. */
  private static final Pattern PACKAGED = Pattern.compile(".*/cli/target/regroup-cli-[^/]*\\.jar");

  /** What the program's log and the JVM write about what nobody expected. */
  private static final Pattern BUG =
      Pattern.compile(
          "[0-9:.]{12} ERROR .*|Exception in thread .*|regroup: \\d+ internal errors were"
              + " logged.*");

  private static final Pattern TRACE = Pattern.compile("\\s+at [\\w.$/]+\\(.*|Caused by: .*");

  private static final Logger LOG = LoggerFactory.getLogger(Program.class);

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final CountDownLatch ended = new CountDownLatch(2);

  private Program(Process process) {
    this.process = process;
    read("out", process.inputReader(StandardCharsets.UTF_8));
    read("err", process.errorReader(StandardCharsets.UTF_8));
    var _ = process.onExit().thenRun(this::wakeUp); // it ends after its streams do
  }

  /** Starts {@code regroup}. */
  public static Program start(Map<String, String> environment, List<String> arguments)
      throws IOException {
    return command(environment, line(arguments));
  }

  /** The command line of {@code regroup} with these arguments. */
  static List<String> line(List<String> arguments) throws IOException {
    var command = java();
    command.addAll(regroup());
    command.addAll(arguments);
    return command;
  }

  /** The command line of another program that the jar holds, with these properties. */
  static List<String> line(String mainClass, List<String> properties) throws IOException {
    var command = java();
    command.addAll(properties);
    var dist = dist();
    if (dist.isPresent()) {
      command.addAll(cached(dist.get()));
    }
    command.add("-cp");
    command.add(dist.isPresent() ? jar(dist.get()) : System.getProperty("java.class.path"));
    command.add(mainClass);
    return command;
  }

  private static List<String> java() {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseCompactObjectHeaders"));
  }

  /**
   * What users start, the packaged jar with its AOT cache, when this build has made it; otherwise
   * the class files. A jar of another build would test other code.
   */
  public static List<String> regroup() throws IOException {
    var dist = dist();
    if (dist.isPresent()) {
      return packaged(dist.get());
    }
    String classPath = System.getProperty("java.class.path");
    return List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath, "dev.regroup.cli.Main");
  }

  /** Where this build has packaged the jar. */
  public static Optional<Path> dist() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> PACKAGED.matcher(entry).matches())
        .map(entry -> Path.of(entry).resolveSibling("dist"))
        .findFirst();
  }

  private static List<String> packaged(Path dist) throws IOException {
    var words = new ArrayList<>(cached(dist));
    words.addAll(List.of("-jar", jar(dist)));
    return words;
  }

  private static List<String> cached(Path dist) throws IOException {
    return List.of("-XX:AOTCache=" + jar(dist).replaceFirst("jar$", "aot"), "-XX:AOTMode=on");
  }

  private static String jar(Path dist) throws IOException {
    try (var jars = Files.newDirectoryStream(dist, "regroup-*.jar")) {
      return jars.iterator().next().toString();
    }
  }

  /** Starts any program. It hears INT and HUP, even if the build runs where they are ignored. */
  public static Program command(Map<String, String> environment, List<String> command)
      throws IOException {
    var hearing = new ArrayList<>(List.of("env", "--default-signal=INT,HUP"));
    hearing.addAll(command);
    var builder = new ProcessBuilder(hearing);
    // Reports of runs stay with the build unless a test names a place.
    builder
        .environment()
        .put("XDG_STATE_HOME", Path.of("target", "state").toAbsolutePath().toString());
    builder.environment().putAll(environment);
    return new Program(builder.start());
  }

  /** Waits for a line of either stream; fails with everything seen when it does not come. */
  public String awaitLine(Predicate<String> wanted, Duration limit) throws InterruptedException {
    long left = limit.toNanos();
    lock.lock();
    try {
      int next = 0;
      while (true) {
        for (; next < lines.size(); next++) {
          if (wanted.test(lines.get(next))) {
            return lines.get(next);
          }
        }
        if (left <= 0 || (!process.isAlive() && ended.getCount() == 0)) {
          throw new AssertionError("the line did not come; output:\n" + output());
        }
        left = more.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The kubeconfig that {@code run} names for kubectl. */
  public Path kubeconfig(Duration limit) throws InterruptedException {
    String line = awaitLine(one -> one.contains("kubectl --kubeconfig "), limit);
    return Path.of(line.replaceAll(".*--kubeconfig (\\S+).*", "$1"));
  }

  /** Says something to its standard input. */
  public void say(String text) throws IOException {
    process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  /** Waits for the end and returns the exit code. */
  public int awaitExit(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)
        || !ended.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new AssertionError("still running after " + limit + "; output:\n" + output());
    }
    return process.exitValue();
  }

  /** SIGKILL: nothing of the program gets to run any more. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /**
   * SIGTERM. What the program still says is read: {@link Process#destroy} would close its output.
   */
  public void terminate() {
    process.toHandle().destroy();
  }

  public long pid() {
    return process.pid();
  }

  public String output() {
    lock.lock();
    try {
      return String.join("\n", lines);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws InterruptedException {
    if (process.isAlive()) {
      process.destroy();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        kill();
      }
    }
  }

  private void read(String stream, BufferedReader reader) {
    Thread.ofPlatform() // a read of a pipe would keep a carrier of virtual threads
        .daemon()
        .name("program-" + stream)
        .start(() -> {
          try (reader) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
              add(line);
            }
          } catch (IOException e) {
            add("(" + stream + " broke off: " + e + ")");
          } finally {
            ended.countDown();
            wakeUp();
          }
        });
  }

  private void add(String line) {
    if (BUG.matcher(line).matches()) {
      LOG.error("{}", line); // a test that did not announce it fails, as with a line of its own
    }
    lock.lock();
    try {
      boolean first = !lines.isEmpty() && BUG.matcher(lines.getLast()).matches();
      if (first || TRACE.matcher(line).matches()) {
        LOG.info("{}", line); // where it came from
      }
      lines.add(line);
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void wakeUp() {
    lock.lock();
    try {
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
