package dev.regroup.node.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.node.dns.ResolvConf.Network;
import dev.regroup.node.dns.ResolvConf.Policy;
import java.net.Inet4Address;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The files a pod's resolver reads. */
class ResolverFilesTest {
  private static final ResolvConf HOST =
      ResolvConf.parse(
          """
          # made by the network
          nameserver 192.0.2.53 ; first
          nameserver 2001:db8::53
          search old.example
          search corp.example lab.example
          options timeout:2 rotate
          sortlist 10.0.0.0
          """);

  @Test
  void a_pod_asks_the_cluster_first() {
    assertThat(render(Policy.CLUSTER_FIRST, Network.POD, ResolvConf.EMPTY))
        .isEqualTo(
            """
            search team.svc.cluster.local svc.cluster.local cluster.local corp.example lab.example
            nameserver 10.1.0.1
            options ndots:5
            """);
  }

  @Test
  void a_pod_with_the_hosts_policy_asks_whom_the_host_asks() {
    String asHost =
        """
        search corp.example lab.example
        nameserver 192.0.2.53
        nameserver 2001:db8::53
        options timeout:2 rotate
        """;

    assertThat(render(Policy.DEFAULT, Network.POD, ResolvConf.EMPTY)).isEqualTo(asHost);
    assertThat(render(Policy.CLUSTER_FIRST, Network.HOST, ResolvConf.EMPTY)).isEqualTo(asHost);
    assertThat(render(Policy.CLUSTER_FIRST_WITH_HOST_NET, Network.HOST, ResolvConf.EMPTY))
        .startsWith("search team.svc.cluster.local ");
  }

  @Test
  void what_the_pod_says_itself_is_added_and_its_options_win() {
    var own =
        new ResolvConf(
            List.of("9.9.9.9", "10.1.0.1"),
            List.of("mine.example", "cluster.local"),
            Map.of("ndots", "2"));

    assertThat(render(Policy.NONE, Network.POD, own))
        .isEqualTo(
            """
            search mine.example cluster.local
            nameserver 9.9.9.9
            nameserver 10.1.0.1
            options ndots:2
            """);
    assertThat(render(Policy.CLUSTER_FIRST, Network.POD, own))
        .isEqualTo(
            """
            search team.svc.cluster.local svc.cluster.local cluster.local corp.example lab.example \
            mine.example
            nameserver 10.1.0.1
            nameserver 9.9.9.9
            options ndots:2
            """);
  }

  @Test
  void limits_of_kubernetes_are_kept() {
    var much =
        new ResolvConf(
            List.of("1.1.1.1", "2.2.2.2", "3.3.3.3", "4.4.4.4"),
            IntStream.range(0, 40).mapToObj(i -> "zone-" + i + ".example").toList(),
            Map.of());

    assertThat(much.nameservers()).containsExactly("1.1.1.1", "2.2.2.2", "3.3.3.3");
    assertThat(much.searches()).hasSize(32);
  }

  @Test
  void the_hosts_name_servers_are_known_by_address() {
    assertThat(HOST.addresses()).containsExactly(Inet4Address.ofLiteral("192.0.2.53"));
  }

  @Test
  void unknown_policies_are_the_default_one() {
    assertThat(Policy.of("None")).isEqualTo(Policy.NONE);
    assertThat(Policy.of("")).isEqualTo(Policy.CLUSTER_FIRST);
  }

  private static String render(Policy policy, Network network, ResolvConf own) {
    return ResolvConf.forPod(policy, network, "team", "10.1.0.1", HOST, own).render();
  }
}
