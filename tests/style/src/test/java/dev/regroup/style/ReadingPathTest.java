package dev.regroup.style;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the pages for newcomers point at is there: {@code module/.../Name.java} and links. */
class ReadingPathTest {

  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Pattern SOURCE = Pattern.compile("`([a-z]+)/\\.\\.\\./([A-Za-z/]+\\.java)`");
  private static final Pattern LINK = Pattern.compile("]\\((?!http)([^)#]+)\\)");

  @Test
  void every_source_the_architecture_names_exists() throws IOException {
    var named =
        SOURCE.matcher(Files.readString(ROOT.resolve("ARCHITECTURE.md"))).results().toList();

    assertThat(named).hasSizeGreaterThan(4);
    assertThat(named)
        .allSatisfy(name ->
            assertThat(sources(name.group(1), name.group(2))).as(name.group()).isNotEmpty());
  }

  @Test
  void every_link_of_the_readme_leads_somewhere() throws IOException {
    var links = LINK.matcher(Files.readString(ROOT.resolve("README.md"))).results().toList();

    assertThat(links).hasSizeGreaterThan(4);
    assertThat(links).allSatisfy(link -> assertThat(ROOT.resolve(link.group(1))).exists());
  }

  private static List<Path> sources(String module, String end) throws IOException {
    try (var files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
      return files.filter(file -> file.endsWith(Path.of(end))).toList();
    }
  }
}
