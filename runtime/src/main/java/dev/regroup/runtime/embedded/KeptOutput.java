package dev.regroup.runtime.embedded;

import static java.nio.file.StandardOpenOption.READ;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.LogReader;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.embedded.container.Runs;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.Trash;
import dev.regroup.runtime.embedded.log.LogFileReader;
import dev.regroup.runtime.embedded.log.LogIndex;
import dev.regroup.runtime.embedded.log.LogRetention;
import dev.regroup.runtime.embedded.log.Logs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

/** What runs have said: their logs, which outlive them, and their last words. */
final class KeptOutput {

  private final Layout layout;
  private final Runs runs;
  private final Logs logs;
  private final Trash trash;
  private final LogRetention retention;

  KeptOutput(Layout layout, Runs runs, Logs logs, Trash trash, LogRetention retention) {
    this.layout = layout;
    this.runs = runs;
    this.logs = logs;
    this.trash = trash;
    this.retention = retention;
  }

  String terminationMessage(ContainerKey key, int limit) throws RuntimeFailure {
    Path file = runs.known(key).directory().resolve(Layout.MESSAGE);
    try (var channel = FileChannel.open(file, READ, LinkOption.NOFOLLOW_LINKS)) {
      var buffer = ByteBuffer.allocate(limit);
      long from = Math.max(0, channel.size() - limit);
      int count = 0; // it may be shortened meanwhile, by whoever wrote it
      while (buffer.hasRemaining() && count >= 0) {
        count = channel.read(buffer, from + buffer.position());
      }
      return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new RuntimeFailure(Kind.SYSTEM, "termination message of " + key, e);
    }
  }

  LogReader log(ContainerKey key, LogQuery query) throws RuntimeFailure {
    var startedAt = runs.find(key).flatMap(known -> known.record().startedAt());
    Path file = layout.log(key);
    try {
      var before = // of a removed run only the file itself tells a time
          startedAt.isPresent() ? startedAt.get() : Files.getLastModifiedTime(file).toInstant();
      return new LogFileReader(file, logs.live(key), query, before);
    } catch (NoSuchFileException e) {
      throw new RuntimeFailure(Kind.NOT_FOUND, "no log of " + key, e);
    } catch (IOException e) {
      throw new RuntimeFailure(Kind.SYSTEM, "log of " + key + ": " + e.getMessage(), e);
    }
  }

  List<Integer> loggedRuns(PodUid pod, String container) {
    var found = new TreeSet<Integer>();
    for (Path file : Layout.list(layout.logs(pod, container))) {
      String name = file.getFileName().toString();
      if (name.endsWith(Layout.LOG_SUFFIX)) {
        found.add(Integer.parseInt(name.substring(0, name.length() - Layout.LOG_SUFFIX.length())));
      }
    }
    return List.copyOf(found);
  }

  /** A container that restarts for ever has a few logs, not one for each of its runs. */
  void dropOldLogs(ContainerKey removed) throws IOException {
    var logged = loggedRuns(removed.pod(), removed.name());
    for (int run : logged.subList(0, Math.max(0, logged.size() - retention.runs()))) {
      Path log = layout.log(new ContainerKey(removed.pod(), removed.name(), run));
      trash.take(LogIndex.file(log)); // first: while there is a log, its index is found again
      trash.take(log);
    }
  }
}
