package dev.regroup.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Cuts the output of one container into lines. A line that is drawn again and again with carriage
 * returns, such as a progress bar, is shown as it stood last: when it ends, and about once a second
 * before. A line without an end is cut. Safe for several threads.
 */
public final class LogLines {

  static final Duration PACE = Duration.ofSeconds(1);
  private static final int LONGEST = 64 * 1024; // bytes

  private final Consumer<String> show;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream(); // guarded by this
  private boolean returned; // guarded by this; what comes next overwrites the line
  private boolean redrawn; // guarded by this; the line has been overwritten
  private String drawn = ""; // guarded by this; what was overwritten last
  private String shown = ""; // guarded by this; the state that was shown before its end

  public LogLines(Consumer<String> show) {
    this.show = show;
  }

  /** Takes what came; true when there is a state for {@link #showDrawn} to show in a while. */
  public synchronized boolean take(byte[] bytes) {
    for (byte b : bytes) {
      switch (b) {
        case '\n' -> end();
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
    return (redrawn || returned) && !state().equals(shown);
  }

  /** Shows the newest state of a line that is being redrawn and has not ended. */
  synchronized void showDrawn() {
    if ((redrawn || returned) && !state().equals(shown)) {
      shown = state();
      show.accept(shown);
    }
  }

  /** No more will come. */
  public synchronized void finish() {
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
      show.accept(state());
    }
    line.reset();
    returned = false;
    redrawn = false;
    drawn = "";
    shown = "";
  }
}
