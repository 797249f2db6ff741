package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportTest {

  @Test
  void reads_the_released_annotation_js38() {
    assertThat(Report.read("0", null)).isEqualTo(new Report.At(0));
    assertThat(Report.read("17", null)).isEqualTo(new Report.At(17));
    assertThat(Report.read("2147483646", null)).isEqualTo(new Report.At(Report.HIGHEST));
  }

  @Test
  void reads_the_draft_annotation_as_one_higher_js150() {
    assertThat(Report.read(null, "1")).isEqualTo(new Report.At(0));
    assertThat(Report.read(null, "2147483647")).isEqualTo(new Report.At(Report.HIGHEST));
    assertThat(Report.read(null, "0")).isInstanceOf(Report.Corrupt.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "abc", "-1", "+1", "01", "00", " 1", "1 ", "1.0", "2147483647", "99999999999"})
  void refuses_what_no_agent_writes_js38a(String text) {
    assertThat(Report.read(text, null)).isInstanceOf(Report.Corrupt.class);
  }

  @Test
  void takes_both_annotations_only_when_they_agree_js152() {
    assertThat(Report.read("3", "4")).isEqualTo(new Report.At(3));
    assertThat(Report.read("3", "5")).isInstanceOf(Report.Corrupt.class);
    assertThat(Report.read("3", "x")).isInstanceOf(Report.Corrupt.class);
    assertThat(Report.read("x", "4")).isInstanceOf(Report.Corrupt.class);
  }

  @Test
  void says_nothing_when_nothing_is_written() {
    assertThat(Report.read(null, null)).isEqualTo(Report.NONE);
  }
}
