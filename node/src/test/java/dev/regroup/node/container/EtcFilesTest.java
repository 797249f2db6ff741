package dev.regroup.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
            fe00::\tip6-localnet
            ff00::\tip6-mcastprefix
            ff02::1\tip6-allnodes
            ff02::2\tip6-allrouters
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

  @ParameterizedTest
  @CsvSource({
    "p, '', p",
    "p, h, h",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-cut, '',"
        + " aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
  })
  void a_hostname_is_the_wish_else_the_name_as_far_as_the_kernel_takes_it(
      String name, String wish, String hostname) {
    assertThat(EtcFiles.hostname(pod(name, wish, ""))).isEqualTo(hostname);
  }

  @Test
  void a_file_that_containers_have_mounted_is_written_in_place(@TempDir Path directory)
      throws IOException {
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
