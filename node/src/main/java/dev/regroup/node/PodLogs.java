package dev.regroup.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.client.Headers;
import dev.regroup.client.Transport;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.LogReader;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Logs of this node's containers, as {@code pods/log} gives them out. Any thread. */
public final class PodLogs {

  /** What is asked for; absent numbers mean "no limit". */
  public record Options(
      Mode mode,
      Which which,
      Stamps stamps,
      Optional<Instant> since,
      OptionalLong tailLines,
      OptionalLong limitBytes,
      OptionalInt run) {

    public enum Mode {
      SNAPSHOT,
      FOLLOW
    }

    public enum Which {
      CURRENT,
      PREVIOUS
    }

    public enum Stamps {
      NONE,
      TIME
    }

    public static final Options ALL =
        new Options(
            Mode.SNAPSHOT,
            Which.CURRENT,
            Stamps.NONE,
            Optional.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalInt.empty());
  }

  /** There is no such log; the code is the HTTP code of the answer. */
  public static final class NoLog extends Exception {
    private final int code;

    NoLog(int code, String message) {
      super(message);
      this.code = code;
    }

    public int code() {
      return code;
    }
  }

  private final ContainerRuntime runtime;
  private final Function<PodUid, Optional<PodStatus>> statuses;

  PodLogs(ContainerRuntime runtime, Function<PodUid, Optional<PodStatus>> statuses) {
    this.runtime = runtime;
    this.statuses = statuses;
  }

  /** Opens a log; the stream ends with the log or, followed, with the container. */
  public Transport.Stream open(String podName, String podUid, String container, Options options)
      throws NoLog {
    var uid = new PodUid(podUid);
    var runs = runtime.loggedRuns(uid, container);
    if (runs.isEmpty()) {
      throw options.which() == Options.Which.PREVIOUS
          ? noPrevious(podName, container)
          : notYet(uid, podName, container);
    }
    int run = run(uid, podName, container, runs, options);
    var key = new ContainerKey(uid, container, run);
    var query =
        new LogQuery(
            options.tailLines(),
            options.since(),
            options.mode() == Options.Mode.FOLLOW ? LogQuery.Mode.FOLLOW : LogQuery.Mode.SNAPSHOT);
    try {
      return new Frames(runtime.log(key, query), options);
    } catch (RuntimeFailure e) {
      throw new NoLog(500, String.valueOf(e.getMessage()));
    }
  }

  private int run(PodUid uid, String podName, String container, List<Integer> runs, Options options)
      throws NoLog {
    if (options.run().isPresent() && runs.contains(options.run().getAsInt())) {
      return options.run().getAsInt();
    }
    return switch (options.which()) {
      case CURRENT -> runs.getLast();
      case PREVIOUS -> previous(uid, podName, container, runs);
    };
  }

  /** The last ended run: the newest one while its successor waits to be started. */
  private int previous(PodUid uid, String podName, String container, List<Integer> runs)
      throws NoLog {
    boolean waiting =
        statuses
            .apply(uid)
            .flatMap(status -> status.container(container))
            .filter(status -> status.state() instanceof ContainerState.Waiting)
            .isPresent();
    if (waiting) {
      return runs.getLast();
    }
    if (runs.size() < 2) {
      throw noPrevious(podName, container);
    }
    return runs.get(runs.size() - 2);
  }

  private NoLog notYet(PodUid uid, String podName, String container) {
    var why =
        statuses
            .apply(uid)
            .flatMap(status -> status.container(container))
            .map(ContainerStatus::state)
            .filter(ContainerState.Waiting.class::isInstance)
            .map(state -> ((ContainerState.Waiting) state).reason())
            .filter(reason -> !reason.isEmpty())
            .orElse("ContainerCreating");
    return new NoLog(
        400,
        "container \"%s\" in pod \"%s\" is waiting to start: %s"
            .formatted(container, podName, why));
  }

  private static NoLog noPrevious(String podName, String container) {
    return new NoLog(
        400,
        "previous terminated container \"" + container + "\" in pod \"" + podName + "\" not found");
  }

  /** Lines gathered into frames; when following no line waits for the next one to be written. */
  private static final class Frames implements Transport.Stream {

    private static final int ENOUGH = 64 * 1024;
    private static final DateTimeFormatter STAMP =
        DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final LogReader reader;
    private final Options options;
    private long left;
    private boolean midLine; // the time of the line was told with its first piece
    private volatile boolean closed;
    private volatile @Nullable Thread waiting;

    Frames(LogReader reader, Options options) {
      this.reader = reader;
      this.options = options;
      this.left = options.limitBytes().orElse(Long.MAX_VALUE);
    }

    @Override
    public int status() {
      return 200;
    }

    @Override
    public Headers headers() {
      return Headers.of("content-type", "text/plain");
    }

    @Override
    public byte @Nullable [] next() throws Transport.Unreachable, InterruptedException {
      if (closed || left <= 0) {
        return null;
      }
      waiting = Thread.currentThread();
      try {
        var frame = read();
        if (frame.length == 0) {
          return null;
        }
        left -= frame.length;
        return frame;
      } catch (IOException e) {
        throw new Transport.Unreachable("log: " + e.getMessage(), e);
      } catch (InterruptedException e) {
        if (closed) {
          return null;
        }
        throw e;
      } finally {
        waiting = null;
      }
    }

    @Override
    public void close() {
      closed = true;
      var thread = waiting;
      if (thread != null && !thread.equals(Thread.currentThread())) {
        thread.interrupt();
        return; // that thread closes the reader when it asks for more
      }
      reader.close();
    }

    private byte[] read() throws IOException, InterruptedException {
      var bytes = new ByteArrayOutputStream();
      while (bytes.size() < ENOUGH) {
        var line = reader.next();
        if (line.isEmpty()) {
          break;
        }
        append(line.get(), bytes);
        if (options.mode() == Options.Mode.FOLLOW && !reader.ready()) {
          break;
        }
      }
      var frame = bytes.toByteArray();
      return frame.length <= left ? frame : java.util.Arrays.copyOf(frame, (int) left);
    }

    private void append(LogReader.Line line, ByteArrayOutputStream bytes) {
      if (options.stamps() == Options.Stamps.TIME && !midLine) {
        bytes.writeBytes((STAMP.format(line.time()) + " ").getBytes(UTF_8));
      }
      bytes.writeBytes(line.bytes());
      if (line.terminated()) {
        bytes.write('\n');
      }
      midLine = !line.terminated();
    }
  }
}
