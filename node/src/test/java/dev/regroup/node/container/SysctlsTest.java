package dev.regroup.node.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

class SysctlsTest {

  private static Pod pod(String name, String value) {
    return new PodBuilder()
        .withNewSpec()
        .withNewSecurityContext()
        .addNewSysctl(name, value)
        .endSecurityContext()
        .endSpec()
        .build();
  }

  @Test
  void safe_ones_are_set_under_the_kernels_name() throws Exception {
    assertThat(Sysctls.of(pod("net.ipv4.tcp_fin_timeout", "17")))
        .containsExactly(java.util.Map.entry("net/ipv4/tcp_fin_timeout", "17"));
    assertThat(Sysctls.of(new PodBuilder().withNewSpec().endSpec().build())).isEmpty();
  }

  @Test
  void others_and_those_of_the_host_are_refused() {
    var unsafe = pod("kernel.core_pattern", "|/x");
    var shared =
        pod("net.ipv4.tcp_fin_timeout", "17").edit().editSpec().withHostNetwork(true).endSpec();

    assertThatThrownBy(() -> Sysctls.of(unsafe))
        .hasMessage("forbidden sysctl: \"kernel.core_pattern\" not allowlisted");
    assertThatThrownBy(() -> Sysctls.of(shared.build()))
        .hasMessage(
            "forbidden sysctl: \"net.ipv4.tcp_fin_timeout\" not allowed with host net enabled");
  }
}
