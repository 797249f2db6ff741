package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimelineCommandTest {

  private static final String REPORT =
      """
      {"format":"regroup.dev/report","version":1,"result":"failed","seconds":4.73,
       "began":"2026-01-01T00:00:00Z","restartsInWords":"1 restart","why":["because of p: it \\u001b[2J"],
       "goodput":{"ratio":0.5,"downSeconds":1.5,"measure":"output"},
       "restarts":[{"number":1,"kind":"inPlace","downSeconds":1.5,"began":"2026-01-01T00:00:01Z",
        "works":"2026-01-01T00:00:02.5Z","cause":"p","stages":[{"until":"lifted","seconds":1.5,
        "from":"2026-01-01T00:00:01Z","to":"2026-01-01T00:00:02.5Z"}],"pods":[]}]}
      """;

  @TempDir Path folder;

  @Test
  void a_report_is_shown_again_from_its_file_or_its_folder() throws IOException {
    Files.writeString(folder.resolve("report.json"), REPORT);

    var text = CommandRun.of("timeline", folder.toString());

    assertThat(text.code()).isZero();
    assertThat(text.out())
        .isEqualTo(
            """
            failed in 4.73s, 1 restart
              because of p: it \u241b[2J
              goodput 50.0%: lost 1.50s down (by its output: it told no steps)
            restart 1: 1.50s down
              until lifted 1.50s
              because of p
            """);
    assertThat(CommandRun.of("timeline", folder.resolve("report.json").toString())).isEqualTo(text);
  }

  @Test
  void a_report_becomes_a_trace() throws IOException {
    Files.writeString(folder.resolve("report.json"), REPORT);

    var trace = CommandRun.of("timeline", "-o", "trace", folder.toString());

    assertThat(trace.out())
        .contains(
            "\"name\":\"restart"
                + " 1\",\"ph\":\"X\",\"pid\":1,\"tid\":0,\"ts\":1000000,\"dur\":1500000")
        .contains("\"name\":\"lifted\"");
  }

  @Test
  void what_is_no_report_is_refused_with_what_is_wrong() throws IOException {
    Path file = Files.writeString(folder.resolve("x.json"), "{\"format\":\"other\"}");
    Path newer =
        Files.writeString(folder.resolve("y.json"), REPORT.replace(":1,\"res", ":2,\"res"));

    assertThat(CommandRun.of("timeline", file.toString()).err())
        .contains("is no report (\"format\"");
    assertThat(CommandRun.of("timeline", newer.toString()).err())
        .contains("version 2 is not known (this program reads version 1)");
    assertThat(CommandRun.of("timeline", folder.resolve("no").toString()).code()).isEqualTo(3);
    Path broken = Files.writeString(folder.resolve("z.json"), "{\"format\":\n");
    assertThat(CommandRun.of("timeline", broken.toString()).err())
        .contains("is no report: line 2: ")
        .contains("(name the folder that 'regroup run' told, or jobset/NAME)")
        .doesNotContain("REDACTED");
  }

  @Test
  void a_kubeconfig_without_a_cluster_says_what_to_do() {
    String nowhere = "--kubeconfig=" + folder.resolve("none");

    var run = CommandRun.of("timeline", nowhere, "jobset/t");

    assertThat(run.code()).isEqualTo(3);
    assertThat(run.err()).contains("cannot be read").contains("'regroup up'");
    assertThat(CommandRun.of("watch", nowhere).code()).isEqualTo(3);
  }
}
