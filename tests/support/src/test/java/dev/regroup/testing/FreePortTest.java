package dev.regroup.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import org.junit.jupiter.api.Test;

/** Ports that nobody gets by chance. */
class FreePortTest {

  @Test
  void no_port_is_given_twice_and_none_that_the_kernel_gives_away() {
    var given = new HashSet<Integer>();
    for (int i = 0; i < 50; i++) {
      given.add(FreePort.next());
    }
    assertThat(given).hasSize(50).allMatch(port -> port >= 20_000 && port < 30_000);
  }
}
