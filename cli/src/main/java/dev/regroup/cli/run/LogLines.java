package dev.regroup.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the output of one container into lines. A line that is drawn again and again with carriage
 * returns, such as a progress bar, is shown as it stood last: when it ends, and about once a second
 * before. A line without an end is cut. Safe for several threads.
 */
public final class LogLines {

  static final Duration PACE = Duration.ofSeconds(1);
  private static final int LONGEST = 64 * 1024; // bytes
  private static final int LONGEST_TIME = 40; // bytes

  private final BiConsumer<Instant, String> show;
  private final InstantSource clock;
  private final boolean stamped; // each line begins with the time it was written
  private final ByteArrayOutputStream stamp = new ByteArrayOutputStream(); // guarded by this
  private boolean inStamp; // guarded by this
  private @Nullable Instant written; // guarded by this; when the line was begun, if it says so
  private final ByteArrayOutputStream line = new ByteArrayOutputStream(); // guarded by this
  private boolean returned; // guarded by this; what comes next overwrites the line
  private boolean redrawn; // guarded by this; the line has been overwritten
  private String drawn = ""; // guarded by this; what was overwritten last
  private String shown = ""; // guarded by this; the state that was shown before its end

  /** Of a log without times. */
  public LogLines(Consumer<String> show) {
    this((_, line) -> show.accept(line), InstantSource.system(), false);
  }

  private LogLines(BiConsumer<Instant, String> show, InstantSource clock, boolean stamped) {
    this.show = show;
    this.clock = clock;
    this.stamped = stamped;
    this.inStamp = stamped;
  }

  /**
   * Of a log with a time in front of each line: lines are shown with the time they were written,
   * those that are redrawn or say none with the time they are shown.
   */
  static LogLines stamped(BiConsumer<Instant, String> show, InstantSource clock) {
    return new LogLines(show, clock, true);
  }

  /** Takes what came; true when there is a state for {@link #showDrawn} to show in a while. */
  public synchronized boolean take(byte[] bytes) {
    for (byte b : bytes) {
      if (!inStamp) {
        takeText(b);
      } else if (b == ' ' || b == '\n' || stamp.size() >= LONGEST_TIME) {
        endStamp();
        if (b != ' ' || written == null) {
          takeText(b);
        }
      } else {
        stamp.write(b);
      }
    }
    return (redrawn || returned) && !state().equals(shown);
  }

  private void takeText(byte b) {
    switch (b) {
      case '\n' -> {
        end();
        inStamp = stamped;
      }
      case '\r' -> returned = true;
      default -> {
        if (returned) {
          overwrite();
        }
        line.write(b);
      }
    }
    if (line.size() >= LONGEST) {
      end();
    }
  }

  /** What is no time belongs to the text. */
  private void endStamp() {
    inStamp = false;
    byte[] begin = stamp.toByteArray();
    stamp.reset();
    try {
      written = Instant.parse(new String(begin, UTF_8));
    } catch (DateTimeParseException e) {
      written = null;
      for (byte b : begin) {
        takeText(b);
      }
    }
  }

  /** Shows the newest state of a line that is being redrawn and has not ended. */
  synchronized void showDrawn() {
    if ((redrawn || returned) && !state().equals(shown)) {
      shown = state();
      show.accept(clock.instant(), shown);
    }
  }

  /** No more will come. */
  public synchronized void finish() {
    if (inStamp) {
      endStamp();
    }
    if (!state().isEmpty()) {
      end();
    }
  }

  private void overwrite() {
    drawn = state();
    line.reset();
    returned = false;
    redrawn = true;
  }

  private String state() {
    return line.size() > 0 ? line.toString(UTF_8) : drawn;
  }

  private void end() {
    if (shown.isEmpty() || !shown.equals(state())) {
      show.accept(redrawn || written == null ? clock.instant() : written, state());
    }
    line.reset();
    returned = false;
    redrawn = false;
    drawn = "";
    shown = "";
  }
}
