package dev.regroup.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The page of all commands is made from their model; {@code -Ddocs=fix} writes it. */
class CliReferenceTest {

  private static final Path PAGE = Path.of("../docs/reference/cli.md");

  private static final String HEAD =
      """
      # Commands

      After this page you know every command, its options and how it ends. It is what `regroup COMMAND --help` prints, made from the
      program itself: `mvn -pl cli -am test -Dtest=CliReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs=fix` writes it anew.
      """;

  @Test
  void the_page_says_what_help_says() throws IOException {
    var page = new StringBuilder(HEAD);
    add(page, Main.commandLine());
    if ("fix".equals(System.getProperty("docs"))) {
      Files.writeString(PAGE, page, UTF_8);
    }

    assertThat(Files.readString(PAGE, UTF_8))
        .as("docs/reference/cli.md is out of date: run this test with -Ddocs=fix")
        .isEqualTo(page.toString());
  }

  private static void add(StringBuilder page, CommandLine line) {
    var spec = line.getCommandSpec();
    if (spec.usageMessage().hidden()) {
      return;
    }
    page.append("\n## ").append(spec.qualifiedName()).append("\n\n```text\n");
    page.append(line.getUsageMessage(CommandLine.Help.Ansi.OFF).strip()).append("\n```\n");
    line.getSubcommands().values().forEach(sub -> add(page, sub));
  }
}
