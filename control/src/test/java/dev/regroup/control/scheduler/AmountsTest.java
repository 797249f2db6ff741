package dev.regroup.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AmountsTest {

  @Test
  void containers_and_sidecars_run_together() {
    assertThat(
            ofPod(
                """
                {"containers":[{"resources":{"requests":{"cpu":"500m","memory":"1Ki"}}},
                               {"resources":{"requests":{"cpu":"0.25"}}}],
                 "initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}}]}
                """))
        .isEqualTo(Map.of("cpu", 1750L, "memory", 1024L));
  }

  @Test
  void an_init_container_counts_beside_the_sidecars_before_it() {
    assertThat(
            ofPod(
                """
                {"containers":[{"resources":{"requests":{"cpu":"1"}}}],
                 "initContainers":[{"resources":{"requests":{"cpu":"3"}}},
                   {"restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}},
                   {"resources":{"requests":{"cpu":"2500m"}}}]}
                """))
        .isEqualTo(Map.of("cpu", 3500L));
  }

  @Test
  void requests_of_the_pod_come_first_and_overhead_on_top() {
    assertThat(
            ofPod(
                """
                {"containers":[{"resources":{"requests":{"cpu":"1","nvidia.com/gpu":"2"}}}],
                 "resources":{"requests":{"cpu":"2"}},"overhead":{"cpu":"100m"}}
                """))
        .isEqualTo(Map.of("cpu", 2100L, "nvidia.com/gpu", 2L));
  }

  @Test
  void an_absurd_amount_is_a_large_amount() {
    assertThat(ofPod("{\"containers\":[{\"resources\":{\"requests\":{\"memory\":\"1e999\"}}}]}"))
        .hasEntrySatisfying("memory", amount -> assertThat(amount).isGreaterThan(1L << 60));
  }

  private static Map<String, Long> ofPod(String spec) {
    return Amounts.ofPod(Wire.tree(spec)).byName();
  }
}
