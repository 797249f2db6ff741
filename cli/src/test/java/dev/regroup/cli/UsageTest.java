package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class UsageTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          fly         | regroup: unknown command "fly" (see regroup --help)
          run         | regroup: Missing required parameter: 'FILE' (see regroup run --help)
          run --fo x  | regroup: Unknown option: '--fo' (see regroup run --help)
          --fo        | regroup: Unknown option: '--fo' (see regroup --help)
          up --port 99999 | regroup: --port: must be 0 to 65535, not 99999
          up --port x | regroup: Invalid value for option '--port': 'x' is not an int (see regroup up --help)
          """)
  void wrong_usage_is_one_line_that_says_where_to_read_on(String arguments, String said) {
    var run = CommandRun.of(arguments.split(" ", -1));

    assertThat(run.err()).isEqualTo(said + "\n");
    assertThat(run.code()).isEqualTo(2);
  }

  static List<String> commands() {
    return Main.commandLine().getSubcommands().entrySet().stream()
        .filter(command -> !command.getValue().getCommandSpec().usageMessage().hidden())
        .map(Map.Entry::getKey)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void help_fits_the_screen_and_has_exit_codes_and_examples(String command) {
    var run = CommandRun.of(command, "--help");

    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("\nOptions:\n", "\nExit codes:\n  0 ", "\nExamples:\n");
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
  }

  /** A shell would take off redirections; whatever comes before them must be understood. */
  @ParameterizedTest
  @MethodSource("commands")
  void every_example_is_understood(String command) {
    var examples = CommandRun.of(command, "--help").out().split("Examples:\n", -1)[1].strip();

    assertThat(examples.lines().toList())
        .isNotEmpty()
        .allSatisfy(example -> {
          var words = words(example.strip().replaceAll(" [<>#].*", ""));
          assertThat(words).startsWith("regroup", command);
          Main.commandLine().parseArgs(Arrays.copyOfRange(words, 1, words.length));
        });
  }

  /** As a shell takes a line apart: what is quoted is one word. */
  private static String[] words(String line) {
    return Pattern.compile("(?:'[^']*'|[^ '])+")
        .matcher(line)
        .results()
        .map(word -> word.group().replace("'", ""))
        .toArray(String[]::new);
  }
}
