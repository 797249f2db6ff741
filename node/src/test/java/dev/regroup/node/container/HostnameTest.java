package dev.regroup.node.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.node.env.ConfigFailure;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a pod is called. */
class HostnameTest {

  private static Pod pod(String name, String hostname, String subdomain) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("team")
        .endMetadata()
        .withNewSpec()
        .withHostname(hostname)
        .withSubdomain(subdomain)
        .endSpec()
        .build();
  }

  @ParameterizedTest
  @CsvSource({
    "p, '', p",
    "p, h, h",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-cut, '',"
        + " aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
  })
  void a_hostname_is_the_wish_else_the_name_as_far_as_the_kernel_takes_it(
      String name, String wish, String hostname) {
    var pod = pod(name, wish, "");

    assertThat(Hostname.of(pod)).isEqualTo(new Hostname(hostname, ""));
  }

  @Test
  void a_subdomain_is_told_to_the_kernel_only_where_the_pod_asks_for_it() throws Exception {
    var pod = pod("p", "h", "svc");

    assertThat(Hostname.of(pod).full()).isEqualTo("h.svc.team.svc.cluster.local");
    assertThat(Hostname.of(pod).inKernel(pod)).isEqualTo("h");

    pod.getSpec().setSetHostnameAsFQDN(true);

    assertThat(Hostname.of(pod).inKernel(pod)).isEqualTo("h.svc.team.svc.cluster.local");
  }

  @Test
  void a_name_that_the_kernel_cannot_hold_keeps_the_pod_from_starting() {
    var pod = pod("p", "h".repeat(50), "svc");
    pod.getSpec().setSetHostnameAsFQDN(true);

    assertThatThrownBy(() -> Hostname.of(pod).inKernel(pod))
        .isInstanceOf(ConfigFailure.class)
        .hasMessageEndingWith("is too long (64 characters is the max, 77 characters requested)");
  }

  @Test
  void an_override_has_no_domain() throws Exception {
    var pod = pod("p", "h", "svc");
    pod.getSpec().setHostnameOverride("over.ride");

    assertThat(Hostname.of(pod)).isEqualTo(new Hostname("over.ride", ""));
    assertThat(Hostname.of(pod).inKernel(pod)).isEqualTo("over.ride");
  }
}
