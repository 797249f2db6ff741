package dev.regroup.runtime.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FabricHolderTest {

  @Test
  void the_holder_lets_go_of_everything_and_waits() {
    assertThat(FabricHolder.tape().print())
        .containsSubsequence("setsid(", "chdir(\"/\")", "close_range(0, ~0U, 0)", "ppoll(NULL, 0");
  }
}
