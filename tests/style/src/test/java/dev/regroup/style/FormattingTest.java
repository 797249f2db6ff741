package dev.regroup.style;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every Java source is formatted. {@code mvn -pl tests/style test -Dformat=fix} rewrites what is
 * not.
 */
class FormattingTest {

  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @Test
  void every_source_is_formatted() throws IOException, FormatterException {
    boolean fix = "fix".equals(System.getProperty("format"));
    var formatter = new Formatter();
    var unformatted = new ArrayList<String>();

    for (Path source : sources()) {
      String text = Files.readString(source);
      String formatted = formatter.formatSourceAndFixImports(text);
      if (!formatted.equals(text)) {
        unformatted.add(ROOT.relativize(source).toString());
        if (fix) {
          Files.writeString(source, formatted);
        }
      }
    }

    if (!fix) {
      assertThat(unformatted)
          .as("sources to format (mvn -pl tests/style test -Dformat=fix)")
          .isEmpty();
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
