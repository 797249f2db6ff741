package dev.regroup.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

/** The hosts file of a pod. */
class EtcFilesTest {

  @Test
  void a_pod_finds_itself_and_its_aliases_in_its_hosts_file() {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("training-w-0-0-x7")
            .withNamespace("team")
            .endMetadata()
            .withNewSpec()
            .withHostname("training-w-0-0")
            .withSubdomain("training")
            .addNewHostAlias()
            .withIp("192.0.2.9")
            .withHostnames("store", "store.example")
            .endHostAlias()
            .endSpec()
            .build();

    assertThat(EtcFiles.hosts(pod, "10.1.0.3"))
        .startsWith("# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n")
        .endsWith(
            """
            10.1.0.3\ttraining-w-0-0.training.team.svc.cluster.local\ttraining-w-0-0

            # Entries added by HostAliases.
            192.0.2.9\tstore\tstore.example
            """);
  }
}
