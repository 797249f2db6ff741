package dev.regroup.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the node writes is what the group reads. */
class RestartNoteTest {

  static List<RestartNote> notes() {
    return List.of(
        new RestartNote.Exited("worker", 42, 0),
        new RestartNote.Exited("w-1", 137, 3),
        new RestartNote.Exited("w", -1, 0),
        new RestartNote.Ordered(0, 1),
        new RestartNote.Ordered(41, 42),
        new RestartNote.Asked("r1", "why not"),
        new RestartNote.Asked("of two words", "over\ntwo lines: yes"),
        new RestartNote.Asked("r1", ""));
  }

  @ParameterizedTest
  @MethodSource("notes")
  @Rule({"CND-11", "RAC-31"})
  void a_note_is_read_as_it_was_written(RestartNote note) {
    assertThat(RestartNote.read(note.text())).isEqualTo(note);
  }

  @ParameterizedTest
  @Rule("CND-11")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0 | Container w exited with code 3, triggering pod restart
          2 | Container w exited with code 3, triggering pod restart (and 2 more)
          """)
  void people_read(int more, String text) {
    assertThat(new RestartNote.Exited("w", 3, more).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Container w exited with code 99999999999, triggering pod restart",
        "Container w exited",
        "Pod is at attempt 99999999999, the group moves on to 1",
        "Request",
        "x Request r: why"
      })
  void what_others_wrote_is_nobodys(String text) {
    assertThat(RestartNote.read(text)).isEqualTo(new RestartNote.Other());
    assertThat(RestartNote.read(text).text()).isEmpty();
  }
}
