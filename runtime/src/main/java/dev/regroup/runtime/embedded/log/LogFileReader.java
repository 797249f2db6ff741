package dev.regroup.runtime.embedded.log;

import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.LogReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log file line by line and, if asked, waits for more while the container runs.
 *
 * <p>The front of the file may become a hole at any moment. So after each read the reader asks
 * where the log begins; what was read before that place may be zeros and is forgotten. It goes on
 * with the first complete line: the one after the first newline, because nobody knows any more what
 * stood before. A line longer than all that is left is handed out without its beginning.
 */
public final class LogFileReader implements LogReader {

  /** A line that gets longer is handed out in pieces: 256 KB. */
  private static final int LONGEST_PIECE = 256 * 1024;

  private static final int BUFFER = 64 * 1024;
  private static final byte[] NOTHING = {};
  private static final byte[] NEWLINE = {'\n'};

  private final Path file;
  private final FileChannel channel;
  private final @Nullable LiveLog live; // null: nobody writes or rotates it any more
  private final @Nullable LiveLog followed; // null: only what is there now
  private final long begin; // if it is not live
  private final long end; // of what is there now
  private final LogQuery query;
  private final LogIndex index;
  private boolean placed; // where the query begins
  private boolean wanted; // what was written since the query's time
  private byte[] pending = NOTHING; // read, not handed out
  private int pendingAt;
  private int searched; // no newline in pending before this
  private boolean midLine; // a piece was handed out, and its line goes on
  private long position; // of the file, after pending

  public LogFileReader(Path file, @Nullable LiveLog live, LogQuery query, Instant startedAt)
      throws IOException {
    this.file = file;
    this.live = live;
    this.followed = query.mode() == LogQuery.Mode.FOLLOW ? live : null;
    this.query = query;
    this.begin = live == null ? LogHole.end(file) : 0;
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    try {
      if (live != null) {
        live.look(); // up to this moment
      }
      this.end = live == null ? channel.size() : live.size();
      this.index = new LogIndex(file, startedAt);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public Optional<Line> next() throws IOException, InterruptedException {
    if (!placed) {
      placed = true;
      position = query.tail().isPresent() ? tailStart(query.tail().getAsLong()) : 0;
    }
    while (true) {
      var line = cut();
      if (line.isEmpty()) {
        return Optional.empty();
      }
      if (!wanted) {
        wanted = !line.get().time().isBefore(query.since().orElse(Instant.MIN));
      }
      if (wanted) {
        return line; // and so is all that follows: a log is in the order of time
      }
    }
  }

  @Override
  public boolean ready() {
    return wanted && atNewline();
  }

  private Optional<Line> cut() throws IOException, InterruptedException {
    while (true) {
      if (atNewline()) {
        return Optional.of(take(searched, 1));
      }
      if (pending.length - pendingAt >= LONGEST_PIECE) {
        return Optional.of(take(pending.length, 0));
      }
      if (followed != null && isRedrawn()) {
        return Optional.of(take(drawn(), 0));
      }
      if (!fill() && searched == pending.length) {
        return pendingAt == pending.length
            ? Optional.empty()
            : Optional.of(take(pending.length, 0));
      }
    }
  }

  /** Searches on for the end of the line in what is pending. */
  private boolean atNewline() {
    while (searched < pending.length && pending[searched] != '\n') {
      searched++;
    }
    return searched < pending.length;
  }

  /**
   * A line with a carriage return in it, such as a progress bar: who follows wants to see how it
   * stands. A return at its end may belong to a newline that is still to come.
   */
  private boolean isRedrawn() {
    if (midLine || drawn() == pendingAt) {
      return drawn() > pendingAt;
    }
    for (int i = pendingAt; i < pending.length; i++) {
      if (pending[i] == '\r') {
        return true;
      }
    }
    return false;
  }

  private int drawn() {
    int end = pending.length;
    while (end > pendingAt && pending[end - 1] == '\r') {
      end--;
    }
    return end;
  }

  private Line take(int end, int newline) throws IOException {
    long offset = position - (pending.length - pendingAt);
    // Runtimes leave out the carriage return that ends a line, as each does on a terminal.
    boolean returns = newline > 0 && end > pendingAt && pending[end - 1] == '\r';
    var text = Arrays.copyOfRange(pending, pendingAt, returns ? end - 1 : end);
    var line = new Line(index.time(offset), text, newline > 0);
    pendingAt = end + newline;
    searched = pendingAt;
    midLine = newline == 0;
    return line;
  }

  /** Reads more; false at the end. */
  private boolean fill() throws IOException, InterruptedException {
    while (true) {
      // Both are asked before reading: what comes in between causes one more look, never one less.
      long change = followed == null ? 0 : followed.changes();
      boolean ended = followed == null || followed.ended();
      if (channel.size() < position) {
        position = 0; // the program emptied its own output
      }
      if (position < begin()) {
        skip();
        continue;
      }
      var buffer = ByteBuffer.allocate(BUFFER);
      int count = read(buffer, position, end());
      if (position < begin()) {
        continue; // what was read may be zeros
      }
      if (count > 0) {
        append(buffer.array(), count);
        return true;
      }
      if (followed == null || ended) {
        return false;
      }
      followed.awaitChange(change);
    }
  }

  private void append(byte[] bytes, int count) throws IOException {
    int left = pending.length - pendingAt;
    byte[] joined = new byte[left + count];
    System.arraycopy(pending, pendingAt, joined, 0, left);
    System.arraycopy(bytes, 0, joined, left, count);
    searched -= pendingAt;
    pending = joined;
    pendingAt = 0;
    position += count;
    if (followed != null) {
      index.refresh();
    }
  }

  /** What lies before is gone for good, unless the program has emptied its output since. */
  private long begin() throws IOException {
    if (live == null) {
      return begin;
    }
    long now = live.begin();
    return now <= channel.size() ? now : 0;
  }

  /** Where reading stops; followers read what has got its time, and are told about more. */
  private long end() {
    return followed == null ? end : followed.size();
  }

  /** Goes on with the first complete line of what is left. */
  private void skip() throws IOException {
    long all = live == null ? end : live.size();
    long next = newline(begin(), all) + 1;
    // The beginning is asked for again: if it moved, only what lies behind was really looked at.
    position = next == 0 || next == all ? begin() : next;
    pending = midLine ? NEWLINE : NOTHING; // so that the next line does not continue the lost one
    pendingAt = 0;
    searched = 0;
  }

  /** The first newline in this range, or -1. */
  private long newline(long from, long to) throws IOException {
    var buffer = ByteBuffer.allocate(BUFFER);
    for (long at = from; at < to; ) {
      int count = read(buffer.clear(), at, to);
      if (count <= 0) {
        return -1;
      }
      for (int i = 0; i < count; i++) {
        if (buffer.get(i) == '\n') {
          return at + i;
        }
      }
      at += count;
    }
    return -1;
  }

  private int read(ByteBuffer buffer, long from, long to) throws IOException {
    buffer.limit(Math.clamp(to - from, 0, buffer.capacity()));
    return buffer.hasRemaining() ? channel.read(buffer, from) : 0;
  }

  private long tailStart(long lines) throws IOException {
    if (lines == 0) {
      return end;
    }
    long at = end;
    long found = 0;
    var buffer = ByteBuffer.allocate(BUFFER);
    while (at > begin()) {
      long from = Math.max(begin(), at - BUFFER);
      int count = read(buffer.clear(), from, at);
      if (from < begin()) {
        continue; // what was read may be zeros
      }
      for (int i = count - 1; i >= 0; i--) {
        // The newline at the very end closes the last line, it does not begin another.
        if (buffer.get(i) == '\n' && from + i != end - 1 && ++found == lines) {
          return from + i + 1;
        }
      }
      at = from;
    }
    return 0; // all there is
  }

  @Override
  public void close() {
    try {
      channel.close();
      index.close();
    } catch (IOException e) {
      throw new IllegalStateException("closing " + file, e);
    }
  }
}
