package dev.regroup.runtime.embedded.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogRetentionTest {

  private static final LogRetention SMALL = new LogRetention(64 << 10, 16 << 10, 5);

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0",
    "0, 65536, 0",
    "0, 81920, 0", // kept and one stride: not worth a step
    "0, 81921, 16384",
    "0, 90000, 20480", // 24464 are too many, 5 blocks of them are whole
    "20480, 102400, 20480",
    "20480, 102401, 36864",
    "0, 1000000, 933888", // much came between two looks
    "8192, 4096, 8192", // emptied by its program, not seen yet
  })
  void a_log_gives_back_whole_blocks_when_a_stride_is_too_much(long begin, long size, long next) {
    assertThat(SMALL.begin(begin, size)).isEqualTo(next);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void however_a_log_grows_it_keeps_enough_and_not_much_more(long seed) {
    var random = new Random(seed);
    long begin = 0;
    long size = 0;
    for (int i = 0; i < 10_000; i++) {
      size += random.nextInt(40_000);
      long next = SMALL.begin(begin, size);

      assertThat(next).as("seed %d, step %d", seed, i).isGreaterThanOrEqualTo(begin);
      assertThat(next % LogHole.BLOCK).isZero();
      assertThat(size - next).isLessThanOrEqualTo(SMALL.keep() + SMALL.stride());
      if (next > 0) {
        assertThat(size - next).isGreaterThanOrEqualTo(SMALL.keep());
      }
      begin = next;
    }
  }

  @Test
  void a_step_smaller_than_a_block_makes_no_sense() {
    assertThatThrownBy(() -> new LogRetention(0, 100, 1)).hasMessageContaining("got 0, 100 and 1");
  }
}
