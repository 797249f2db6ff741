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

  @Test
  void a_pod_finds_itself_and_its_aliases_in_its_hosts_file() {
    var self = HostsFile.Self.below("training", "team", "10.1.0.3", "training-w-0-0");
    var alias = new HostsFile.Alias("192.0.2.9", List.of("store", "store.example"));

    assertThat(HostsFile.forPod(self, List.of(alias)))
        .isEqualTo(
            """
            # Kubernetes-managed hosts file.
            127.0.0.1\tlocalhost
            ::1\tlocalhost ip6-localhost ip6-loopback
            fe00::0\tip6-localnet
            fe00::0\tip6-mcastprefix
            fe00::1\tip6-allnodes
            fe00::2\tip6-allrouters
            10.1.0.3\ttraining-w-0-0.training.team.svc.cluster.local\ttraining-w-0-0

            # Entries added by HostAliases.
            192.0.2.9\tstore\tstore.example
            """);
    assertThat(HostsFile.forPod(HostsFile.Self.named("10.1.0.4", "single"), List.of()))
        .endsWith("\n10.1.0.4\tsingle\n");
  }

  @Test
  void a_pod_in_the_hosts_network_sees_the_hosts_file() {
    assertThat(HostsFile.forHostNetwork("127.0.0.1 localhost\n", List.of()))
        .isEqualTo("# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n");
  }

  private static String render(Policy policy, Network network, ResolvConf own) {
    return ResolvConf.forPod(policy, network, "team", "10.1.0.1", HOST, own).render();
  }
}
