package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What README and docs show is understood by the program as it is: every command line has options
 * that exist, every manifest passes {@code check}, every example is named. {@code DocsIT} runs what
 * can be run. A YAML block that is only a part of a manifest says so in a comment before it: {@code
 * <!-- fragment: what it is -->}.
 */
class DocumentationTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern COMMAND =
      Pattern.compile("(?m)^\\s*(?:sudo )?(?:bin/)?regroup (\\S.*)$");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^( *)```(\\w*)\\n(.*?)^ *```$");
  private static final Pattern LINK =
      Pattern.compile("]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern FRAGMENT = Pattern.compile("<!-- fragment: [^>]+ -->\\s*$");

  /** What stands in quotes belongs together. */
  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|[^ '])+");

  @TempDir Path folder;

  static List<Path> pages() throws IOException {
    var pages =
        new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("examples/README.md")));
    try (var files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    return pages;
  }

  @ParameterizedTest
  @MethodSource("pages")
  void every_command_is_one_the_program_knows(Path page) throws IOException {
    for (var block : BLOCK.matcher(Files.readString(page)).results().toList()) {
      if (!List.of("", "sh").contains(block.group(2))) {
        continue;
      }
      for (var command : COMMAND.matcher(block.group(3)).results().toList()) {
        String line = command.group(1).replaceAll(" +[#<>|].*", "").strip();
        assertThat(parsed(line)).as(page + ": regroup " + line).isEmpty();
        Arrays.stream(line.split(" +", -1))
            .filter(word -> word.startsWith("examples/"))
            .forEach(word -> assertThat(ROOT.resolve(word)).as(page.toString()).exists());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void every_manifest_passes_check_unless_it_is_marked_as_a_fragment(Path page) throws IOException {
    String text = Files.readString(page);
    for (var block : BLOCK.matcher(text).results().toList()) {
      boolean fragment = FRAGMENT.matcher(text.substring(0, block.start())).find();
      if (!block.group(2).equals("yaml") || fragment) {
        continue;
      }
      String manifest = block.group(3).replaceAll("(?m)^" + block.group(1), "");
      Path file = Files.writeString(folder.resolve("manifest.yaml"), manifest);
      var run = CommandRun.of("check", file.toString());

      assertThat(run.code()).as(page + "\n" + run.out() + run.err()).isZero();
    }
  }

  @Test
  void every_example_is_listed_and_its_first_line_says_what_it_shows_and_how_long_it_takes()
      throws IOException {
    String index = Files.readString(ROOT.resolve("examples/README.md"));
    try (var files = Files.newDirectoryStream(ROOT.resolve("examples"), "*.yaml")) {
      for (Path file : files) {
        assertThat(index).contains("](" + file.getFileName() + ")");
        assertThat(Files.readAllLines(file).getFirst()).matches("# .+\\. Takes about \\d+ s\\.");
        var run = CommandRun.of("check", file.toString());
        assertThat(run.code()).as(run.out()).isZero();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void every_link_leads_to_a_file_and_to_a_heading_of_it(Path page) throws IOException {
    String text = BLOCK.matcher(Files.readString(page)).replaceAll("");
    for (var link : LINK.matcher(text).results().toList()) {
      Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
      assertThat(target).as(page + ": " + link.group()).exists();
      if (link.group(2) != null) {
        assertThat(headings(target)).as(page + ": " + link.group()).contains(link.group(2));
      }
    }
  }

  /** As links name them. */
  private static List<String> headings(Path page) throws IOException {
    return HEADING
        .matcher(Files.readString(page))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
        .toList();
  }

  @Test
  void every_page_is_in_the_index() throws IOException {
    Path docs = ROOT.resolve("docs");
    String index = Files.readString(docs.resolve("README.md"));
    for (Path page : pages()) {
      if (page.startsWith(docs) && !page.startsWith(docs.resolve("decisions"))) {
        String name = docs.relativize(page).toString();
        assertThat(name.equals("README.md") || index.contains("](" + name + ")")).as(name).isTrue();
      }
    }
  }

  /** What is wrong with it; a placeholder in capitals is an argument like any other. */
  private static List<String> parsed(String line) {
    try {
      Main.commandLine().parseArgs(words(line));
      return List.of();
    } catch (picocli.CommandLine.ParameterException e) {
      return List.of(String.valueOf(e.getMessage()));
    }
  }

  private static String[] words(String line) {
    return WORD.matcher(line.replaceAll("[\\[\\]]", ""))
        .results()
        .map(word -> word.group().replace("'", ""))
        .toArray(String[]::new);
  }
}
