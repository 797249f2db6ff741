package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptReportTest {

  @Test
  void reads_the_released_annotation_js38() {
    assertThat(AttemptReport.read("0", null)).isEqualTo(new AttemptReport.At(0));
    assertThat(AttemptReport.read("17", null)).isEqualTo(new AttemptReport.At(17));
    assertThat(AttemptReport.read("2147483646", null))
        .isEqualTo(new AttemptReport.At(AttemptReport.HIGHEST));
  }

  @Test
  void reads_the_draft_annotation_as_one_higher_js150() {
    assertThat(AttemptReport.read(null, "1")).isEqualTo(new AttemptReport.At(0));
    assertThat(AttemptReport.read(null, "2147483647"))
        .isEqualTo(new AttemptReport.At(AttemptReport.HIGHEST));
    assertThat(AttemptReport.read(null, "0")).isInstanceOf(AttemptReport.Corrupt.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "abc", "-1", "+1", "01", "00", " 1", "1 ", "1.0", "2147483647", "99999999999"})
  void refuses_what_no_agent_writes_js38a(String text) {
    assertThat(AttemptReport.read(text, null)).isInstanceOf(AttemptReport.Corrupt.class);
  }

  @Test
  void takes_both_annotations_only_when_they_agree_js152() {
    assertThat(AttemptReport.read("3", "4")).isEqualTo(new AttemptReport.At(3));
    assertThat(AttemptReport.read("3", "5")).isInstanceOf(AttemptReport.Corrupt.class);
    assertThat(AttemptReport.read("3", "x")).isInstanceOf(AttemptReport.Corrupt.class);
    assertThat(AttemptReport.read("x", "4")).isInstanceOf(AttemptReport.Corrupt.class);
  }

  @Test
  void says_nothing_when_nothing_is_written() {
    assertThat(AttemptReport.read(null, null)).isEqualTo(AttemptReport.NONE);
  }
}
