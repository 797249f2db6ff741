package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
          up --port x | regroup: Invalid value for option '--port': 'x' is not an int (see regroup up --help)
          """)
  void wrong_usage_is_one_line_that_says_where_to_read_on(String arguments, String said) {
    var run = CommandRun.of(arguments.split(" ", -1));

    assertThat(run.err()).isEqualTo(said + "\n");
    assertThat(run.code()).isEqualTo(2);
  }
}
