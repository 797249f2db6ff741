package dev.regroup.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which process a number in a file means. */
class ProcessListTest {

  private static final ProcessHandle SELF = ProcessHandle.current();

  /** A prepared run is an old process when its command starts. */
  @Test
  void a_process_that_waited_long_before_it_ran_is_not_taken_for_another() {
    var ran = SELF.info().startInstant().orElseThrow().plus(Duration.ofHours(1));

    assertThat(ProcessList.existedAt((int) SELF.pid(), ran)).isTrue();
  }

  @Test
  void a_process_that_got_the_number_later_is_another() {
    var ran = SELF.info().startInstant().orElseThrow().minus(Duration.ofSeconds(10));

    assertThat(ProcessList.existedAt((int) SELF.pid(), ran)).isFalse();
  }
}
