package dev.regroup.cli;

import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The two streams of a command; flushed line by line, because people watch them. */
final class Screen {

  private Screen() {}

  static PrintWriter out(@Nullable CommandSpec spec) {
    return spec == null ? system(System.out) : flushing(spec.commandLine().getOut());
  }

  static PrintWriter err(@Nullable CommandSpec spec) {
    return spec == null ? system(System.err) : flushing(spec.commandLine().getErr());
  }

  private static PrintWriter system(java.io.PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
  }

  private static PrintWriter flushing(PrintWriter writer) {
    return new PrintWriter(writer, true);
  }
}
