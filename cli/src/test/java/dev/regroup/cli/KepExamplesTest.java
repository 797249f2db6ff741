package dev.regroup.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The manifests of the proposals: what {@code check} and {@code explain} say about each is a file
 * in {@code golden/kep}. {@code -Dgolden=write} rewrites them.
 */
class KepExamplesTest {

  private static final Path EXAMPLES = Path.of("../examples/kep");
  private static final Path GOLDEN = Path.of("src/test/resources/golden/kep");

  /** DIF-19: shown in the proposal, refused by Kubernetes. */
  private static final Set<String> REFUSED = Set.of("kep-5307-all-kinds.yaml");

  /** Nothing in it that runs. */
  private static final String RIGHTS = "kep-467-agent-rights.yaml";

  static List<String> examples() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void check_and_explain_say_what_was_agreed(String name) throws IOException {
    String said = transcript("check", name) + "\n" + transcript("explain", name);
    Path golden = GOLDEN.resolve(name.replace(".yaml", ".txt"));
    if ("write".equals(System.getProperty("golden"))) {
      Files.createDirectories(GOLDEN);
      Files.writeString(golden, said, UTF_8);
    }

    assertThat(said).isEqualTo(Files.readString(golden, UTF_8));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void check_accepts_or_rejects_as_the_specification_says(String name) {
    var run = CommandRun.of("check", "--target=local", EXAMPLES.resolve(name).toString());

    assertThat(run.code()).as(run.out()).isEqualTo(REFUSED.contains(name) ? 1 : 0);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void the_first_line_says_which_story_it_tells(String name) throws IOException {
    assertThat(Files.readAllLines(EXAMPLES.resolve(name)).getFirst())
        .matches("# KEP-\\d+.*: .*\\.");
  }

  /** Those that do not run say why; ExamplesIT and KepStoriesIT run the others. */
  @Test
  void the_first_line_says_which_do_not_run() throws IOException {
    for (String name : examples()) {
      boolean runs = !REFUSED.contains(name) && !name.equals(RIGHTS);
      String first = Files.readAllLines(EXAMPLES.resolve(name)).getFirst();

      assertThat(first.contains("Does not run")).as(name).isEqualTo(!runs);
    }
  }

  @Test
  void rights_and_stories_speak_of_one_account_and_one_annotation() throws IOException {
    String rights = Files.readString(EXAMPLES.resolve(RIGHTS));
    for (String name : examples()) {
      if (name.contains("-story-")) {
        assertThat(Files.readString(EXAMPLES.resolve(name)))
            .contains("serviceAccountName: jobset-in-place-restart ");
      }
    }

    assertThat(rights)
        .contains("system:serviceaccount:default:jobset-in-place-restart'")
        .contains("key == 'jobset.sigs.k8s.io/in-place-restart-attempt'")
        .doesNotContain("epoch");
  }

  @Test
  void every_proposal_has_its_manifests() throws IOException {
    assertThat(examples())
        .hasSize(12)
        .contains(
            "kep-467-story-1-draft.yaml",
            "kep-467-story-1-released.yaml",
            "kep-467-story-2-draft.yaml",
            "kep-467-story-2-released.yaml");
  }

  @Test
  void released_names_of_a_story_mean_the_same_as_the_drafts_converted() throws IOException {
    var draft = CommandRun.of("explain", EXAMPLES.resolve("kep-467-story-2-draft.yaml").toString());
    var released =
        CommandRun.of("explain", EXAMPLES.resolve("kep-467-story-2-released.yaml").toString());

    assertThat(outcomes(released.out(), "worker")).isEqualTo(outcomes(draft.out(), "worker"));
  }

  /** The lines of a container without the last column, which names the rule. */
  private static List<String> outcomes(String table, String container) {
    return table
        .lines()
        .filter(line -> line.startsWith(container))
        .map(line -> line.replaceAll("restartPolicy.*", "").replaceAll(" +", " ").strip())
        .toList();
  }

  private static String transcript(String command, String name) {
    var run = CommandRun.of(command, EXAMPLES.resolve(name).toString());
    String text = run.err() + run.out() + "exit code " + run.code() + "\n";
    return "$ regroup " + command + " " + name + "\n" + text.replace(EXAMPLES + "/", "");
  }
}
