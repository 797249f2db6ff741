package dev.regroup.cli.kubeconfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.cli.screen.CliFailure;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeAccessTest {

  @TempDir Path folder;

  private KubeAccess read(String users, @Nullable String context) throws Exception {
    var file = folder.resolve("config");
    Files.writeString(
        file,
        """
        apiVersion: v1
        kind: Config
        current-context: one
        clusters:
        - {name: c, cluster: {server: "https://192.0.2.1:6443", certificate-authority: ca.pem}}
        contexts:
        - {name: one, context: {cluster: c, user: u, namespace: mine}}
        - {name: two, context: {cluster: c, user: v}}
        - {name: three, context: {cluster: missing, user: v}}
        users:
        %s
        """
            .formatted(users));
    Files.writeString(folder.resolve("ca.pem"), "the authority");
    return KubeConfigs.access(file, context);
  }

  @Test
  void files_beside_it_data_inside_it_and_the_current_context_are_read() throws Exception {
    var data = Base64.getEncoder().encodeToString("certificate".getBytes());
    Files.writeString(folder.resolve("key.pem"), "key");

    var access =
        read(
            "- {name: u, user: {client-certificate-data: %s, client-key: key.pem}}".formatted(data),
            null);

    assertThat(access.server()).isEqualTo(URI.create("https://192.0.2.1:6443"));
    assertThat(access.authority()).isEqualTo("the authority");
    assertThat(access.certificate()).isEqualTo("certificate");
    assertThat(access.key()).isEqualTo("key");
    assertThat(access.namespace()).isEqualTo("mine");
    assertThat(access.token().get()).isEmpty();
    assertThat(access.toString()).doesNotContain("key", "certificate");
  }

  @Test
  void another_context_has_its_own_token_and_the_default_namespace() throws Exception {
    var access = read("- {name: v, user: {token: t}}", "two");

    assertThat(access.token().get()).isEqualTo(Optional.of("t"));
    assertThat(access.namespace()).isEqualTo("default");
  }

  @Test
  void a_plugin_is_run_for_its_token() throws Exception {
    var plugin = folder.resolve("plugin");
    Files.writeString(
        plugin,
        "#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"status\":{\"token\":\"'$FROM-$1'\"}}'\n");
    plugin.toFile().setExecutable(true);

    var access =
        read(
            "- {name: u, user: {exec: {command: %s, args: [x], env: [{name: FROM, value: me}]}}}"
                .formatted(plugin),
            null);

    assertThat(access.token().get()).isEqualTo(Optional.of("me-x"));
  }

  @Test
  void what_cannot_be_used_says_why() {
    assertThatThrownBy(() -> read("- {name: v, user: {}}", "three"))
        .isInstanceOf(CliFailure.class)
        .hasMessageContaining("no cluster is named \"missing\"");
    assertThatThrownBy(() -> read("- {name: v, user: {}}", "four"))
        .hasMessageContaining("no context is named \"four\"");
    assertThatThrownBy(() -> read("- {name: u, user: {username: a, password: b}}", null))
        .hasMessageContaining("neither token nor certificate");
    assertThatThrownBy(() -> KubeConfigs.access(folder.resolve("none"), null))
        .hasMessageContaining("cannot be read");
  }
}
