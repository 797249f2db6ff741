package dev.regroup.cli.screen;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The streams of a command; flushed line by line, because people watch them. The one way to the
 * terminal: what is written here is made safe for it (see {@link TerminalText}).
 */
public final class Screen {

  private Screen() {}

  public static PrintWriter out(@Nullable CommandSpec spec) {
    return safe(spec == null ? system(System.out) : spec.commandLine().getOut());
  }

  public static PrintWriter err(@Nullable CommandSpec spec) {
    return safe(spec == null ? system(System.err) : spec.commandLine().getErr());
  }

  /** Standard output for lines of containers: they keep their colours. */
  public static PrintWriter logs(@Nullable CommandSpec spec) {
    Writer out = spec == null ? system(System.out) : spec.commandLine().getOut();
    return new PrintWriter(new Filter(out, TerminalText::painted), true);
  }

  public static PrintWriter safe(Writer writer) {
    return new PrintWriter(new Filter(writer, TerminalText::plain), true);
  }

  /** A line of a container as nothing but text: without colours and control characters. */
  public static String unpainted(String line) {
    return TerminalText.plain(TerminalText.unpainted(line));
  }

  private static Writer system(PrintStream stream) {
    return new OutputStreamWriter(stream, StandardCharsets.UTF_8);
  }

  /** Filters every piece on its own: a sequence that comes in two pieces is not kept. */
  private static final class Filter extends FilterWriter {

    private final UnaryOperator<String> filter;

    Filter(Writer out, UnaryOperator<String> filter) {
      super(out);
      this.filter = filter;
    }

    @Override
    public void write(int c) throws IOException {
      out.write(filter.apply(Character.toString(c)));
    }

    @Override
    public void write(char[] text, int offset, int length) throws IOException {
      out.write(filter.apply(new String(text, offset, length)));
    }

    @Override
    public void write(String text, int offset, int length) throws IOException {
      out.write(filter.apply(text.substring(offset, offset + length)));
    }
  }
}
