package dev.regroup.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a pod by which it knows itself. */
class EtcFilesTest {

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

  @Test
  void a_pod_finds_itself_and_its_aliases_in_its_hosts_file() {
    var pod =
        new PodBuilder(pod("training-w-0-0-abc", "training-w-0-0", "training"))
            .editSpec()
            .addNewHostAlias()
            .withIp("192.0.2.9")
            .withHostnames("store", "store.example")
            .endHostAlias()
            .endSpec()
            .build();

    assertThat(EtcFiles.hosts(pod, "10.1.0.3"))
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
  }

  @Test
  void a_pod_without_subdomain_has_one_name_and_one_without_address_none() {
    assertThat(EtcFiles.hosts(pod("single", "", ""), "10.1.0.4")).endsWith("\n10.1.0.4\tsingle\n");
    assertThat(EtcFiles.hosts(pod("single", "", ""), "")).doesNotContain("single");
  }

  @Test
  void a_pod_in_the_network_of_the_machine_knows_what_the_machine_knows_and_its_aliases() {
    var pod =
        new PodBuilder(pod("p", "", ""))
            .editSpec()
            .withHostNetwork(true)
            .addNewHostAlias()
            .withIp("192.0.2.9")
            .withHostnames("store")
            .endHostAlias()
            .endSpec()
            .build();

    assertThat(EtcFiles.hostsBeside("127.0.0.1\tlocalhost\n", pod))
        .isEqualTo(
            """
            # Kubernetes-managed hosts file (host network).
            127.0.0.1\tlocalhost

            # Entries added by HostAliases.
            192.0.2.9\tstore
            """);
  }

  @Test
  void a_file_that_containers_have_mounted_is_written_in_place(@TempDir Path directory)
      throws Exception {
    var pod = pod("single", "", "");
    var first = EtcFiles.write(directory, pod, "10.1.0.4", "nameserver 10.1.0.1\n");
    var inode = Files.getAttribute(first.get("/etc/hosts"), "unix:ino");
    Files.writeString(first.get("/etc/hosts"), "what a container made of it");

    var second = EtcFiles.write(directory, pod, "10.1.0.5", "nameserver 10.1.0.1\n");

    assertThat(second.get("/etc/hosts")).hasContent(EtcFiles.hosts(pod, "10.1.0.5"));
    assertThat(Files.getAttribute(second.get("/etc/hosts"), "unix:ino")).isEqualTo(inode);
    assertThat(second.get("/etc/hostname")).hasContent("single");
    assertThat(second.get("/etc/resolv.conf")).hasContent("nameserver 10.1.0.1");
  }
}
