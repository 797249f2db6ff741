package dev.regroup.style;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the pages for newcomers point at is there: {@code module/.../Name.java} and links. */
class ReadingPathTest {

  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Pattern SOURCE = Pattern.compile("`([a-z]+)/\\.\\.\\./([A-Za-z/]+\\.java)`");
  private static final Pattern LINK = Pattern.compile("]\\((?!http)([^)#]*)(?:#([^)]+))?\\)");

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
  void every_link_of_a_page_leads_to_a_file_and_to_a_heading_of_it() throws IOException {
    var pages = pages();
    assertThat(pages).hasSizeGreaterThan(20);
    for (Path page : pages) {
      var links = LINK.matcher(Files.readString(page)).results().toList();

      assertThat(links)
          .allSatisfy(link -> {
            Path target =
                link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
            assertThat(target).as("%s: %s", page, link.group()).exists();
            if (link.group(2) != null) {
              assertThat(headings(target)).as("%s: %s", page, link.group()).contains(link.group(2));
            }
          });
    }
  }

  private static List<Path> pages() throws IOException {
    var pages = new ArrayList<Path>();
    for (String folder : List.of("docs", "examples")) {
      try (var files = Files.walk(ROOT.resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    try (var files = Files.newDirectoryStream(ROOT, "*.md")) {
      files.forEach(pages::add);
    }
    return pages;
  }

  /** As links name them: small letters, words joined by dashes. */
  private static List<String> headings(Path page) throws IOException {
    return Files.readAllLines(page).stream()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
        .map(line -> line.replaceAll("[^\\w -]", "").replace(' ', '-'))
        .toList();
  }

  private static List<Path> sources(String module, String end) throws IOException {
    try (var files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
      return files.filter(file -> file.endsWith(Path.of(end))).toList();
    }
  }
}
