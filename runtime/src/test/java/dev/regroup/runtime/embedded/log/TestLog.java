package dev.regroup.runtime.embedded.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.LogReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A log that a test writes itself, looked after as the thread {@code logs} does. */
public final class TestLog {

  public static final LogRetention SMALL = new LogRetention(64 << 10, 16 << 10, 5);
  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  public final Path file;
  public Instant now = START;
  public LiveLog live;

  public TestLog(Path directory) throws IOException {
    file = Files.createFile(directory.resolve("0.log"));
    live = adopted();
  }

  /** What another start of the program makes of the file. */
  public LiveLog adopted() throws IOException {
    return new LiveLog(file, SMALL, () -> now);
  }

  /** Writes this and looks, a second later. */
  public void write(String text) throws IOException {
    now = now.plus(Duration.ofSeconds(1));
    Files.write(file, text.getBytes(ISO_8859_1), StandardOpenOption.APPEND);
    live.look();
    live.rotate();
  }

  /** Writes the lines with these numbers, each of 64 bytes, a hundred at a time. */
  public void writeLines(int from, int to) throws IOException {
    for (int first = from; first < to; first += 100) {
      var text = new StringBuilder();
      for (int i = first; i < Math.min(to, first + 100); i++) {
        text.append(line(i)).append('\n');
      }
      write(text.toString());
    }
  }

  public static String line(int number) {
    return "%063d".formatted(number);
  }

  public LogFileReader open(LogQuery query) throws IOException {
    return new LogFileReader(file, live, query, START);
  }

  /** As after the container has ended, or in another program. */
  public LogFileReader openEnded(LogQuery query) throws IOException {
    return new LogFileReader(file, null, query, START);
  }

  public static List<String> rest(LogReader reader) throws IOException, InterruptedException {
    var lines = new ArrayList<String>();
    try (reader) {
      for (var line = reader.next(); line.isPresent(); line = reader.next()) {
        lines.add(text(line.get()));
      }
    }
    return lines;
  }

  public static String text(LogReader.Line line) {
    return new String(line.bytes(), ISO_8859_1);
  }

  /** Bytes a file takes on disk. */
  public static long allocated(Path file) {
    try {
      var stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
      try (var output = stat.inputReader()) {
        return Long.parseLong(output.readLine()) * 512;
      }
    } catch (IOException e) {
      throw new AssertionError("cannot ask for the blocks of " + file, e);
    }
  }
}
