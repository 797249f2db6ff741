package dev.regroup.cli.run;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Lines as they come: output to one stream, everything else to the other. */
public final class PlainScreen implements RunScreen {

  private final PrintWriter out; // guarded by itself
  private final PrintWriter err;

  public PlainScreen(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /** One line, whatever the message of an object holds. */
  @Override
  public void said(Duration since, String line) {
    err.println(
        String.format(
            Locale.ROOT, "%6.2fs %s", since.toNanos() / 1e9, line.replaceAll("\\R+", " ")));
  }

  @Override
  public void output(Source source, Instant at, String line) {
    synchronized (out) {
      out.println(source.prefix() + " | " + line);
    }
  }

  @Override
  public void note(String line) {
    err.println("regroup: " + line);
  }
}
