package dev.regroup.style;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every Java source is formatted. {@code mvn -pl tests/style test -Dformat=fix} rewrites what is
 * not.
 */
class FormattingTest {

  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @Test
  void every_source_is_formatted() throws IOException {
    boolean fix = "fix".equals(System.getProperty("format"));
    var unformatted =
        sources().parallelStream()
            .filter(source -> !isFormatted(source, fix))
            .map(source -> ROOT.relativize(source).toString())
            .toList();

    if (!fix) {
      assertThat(unformatted)
          .as("sources to format (mvn -pl tests/style test -Dformat=fix)")
          .isEmpty();
    }
  }

  private static boolean isFormatted(Path source, boolean fix) {
    try {
      String text = Files.readString(source);
      String formatted = new Formatter().formatSourceAndFixImports(text);
      boolean equal = formatted.equals(text);
      if (!equal && fix) {
        Files.writeString(source, formatted);
      }
      return equal;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (FormatterException e) {
      throw new AssertionError(source + ": " + e.getMessage(), e);
    }
  }

  private static List<Path> sources() throws IOException {
    try (var files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !ROOT.relativize(file).toString().contains("target/"))
          .toList();
    }
  }
}
