package dev.regroup.rules.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import org.junit.jupiter.api.Test;

/** Sets of indexes as Kubernetes writes them. */
class IndexSetTest {
  @Test
  void writes_index_texts_like_kubernetes_bs7_jb61() {
    assertThat(IndexSet.of(1, 3, 4, 5, 7).text()).isEqualTo("1,3-5,7");
    assertThat(IndexSet.of(0, 1).text()).isEqualTo("0,1");
    assertThat(IndexSet.parse("1,3-5,7", 5)).isEqualTo(IndexSet.of(1, 3, 4));
    assertThat(IndexSet.parse("x,2,5-3,4-", 9)).isEqualTo(IndexSet.of(2));
    assertThat(IndexSet.parse("", 9).isEmpty()).isTrue();
  }

  @Test
  @Rule("JB-61")
  void index_texts_read_back_what_they_wrote() {
    assertThat(IndexSet.of(0, 1, 2, 5, 6).text()).isEqualTo("0-2,5,6");
    assertThat(IndexSet.parse("0-2,5,6", 100)).isEqualTo(IndexSet.of(0, 1, 2, 5, 6));
    assertThat(IndexSet.parse("0", 1)).isEqualTo(IndexSet.of(0));
    assertThat(IndexSet.parse("123456789", Integer.MAX_VALUE).size()).isEqualTo(1);
    assertThat(IndexSet.parse("1234567890", Integer.MAX_VALUE).isEmpty()).isTrue();
    assertThat(IndexSet.of(1)).isNotEqualTo(IndexSet.of(2)).hasSameHashCodeAs(IndexSet.of(1));
    assertThat(IndexSet.of(1, 2)).hasToString("[1,2]");
  }
}
