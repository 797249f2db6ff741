package dev.regroup.cli.kubeconfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.server.AdminCredentials;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeConfigFileTest {

  private static final AdminCredentials ADMIN = new AdminCredentials("ca", "certificate", "key");
  private static final URI SERVER = URI.create("https://127.0.0.1:6443");

  @TempDir Path folder;

  @Test
  void keeps_what_was_there_and_brings_the_old_context_back() throws Exception {
    Path file = folder.resolve("config");
    Files.writeString(
        file,
        """
        apiVersion: v1
        kind: Config
        clusters:
        - name: prod
          cluster: {server: "https://example.test"}
        contexts: []
        users: null
        current-context: prod
        """);
    var config = new KubeConfigFile(file);

    config.merge(SERVER, ADMIN);
    var merged = YamlDocuments.read(Files.readAllBytes(file)).getFirst().root();
    config.remove();
    var removed = YamlDocuments.read(Files.readAllBytes(file)).getFirst().root();

    assertThat(merged.path("current-context").asText()).isEqualTo("regroup");
    assertThat(merged.path("clusters")).hasSize(2);
    assertThat(removed.path("current-context").asText()).isEqualTo("prod");
    assertThat(removed.path("clusters")).hasSize(1);
    assertThat(removed.path("users")).isEmpty();
    assertThat(removed.toString()).doesNotContain("regroup");
  }

  @Test
  void what_is_new_belongs_to_whom_the_place_belongs() throws Exception {
    var users = folder.getFileSystem().getUserPrincipalLookupService();
    var nobody = users.lookupPrincipalByName("nobody");
    assumeTrue(Files.getOwner(folder).getName().equals("root"), "only root may give files away");
    Path home = Files.createDirectory(folder.resolve("home"));
    Files.setOwner(home, nobody);
    var config = new KubeConfigFile(home.resolve(".kube/config"));

    config.merge(SERVER, ADMIN);

    assertThat(Files.getOwner(home.resolve(".kube"))).isEqualTo(nobody);
    assertThat(Files.getOwner(config.path())).isEqualTo(nobody);
  }

  @Test
  void merging_twice_changes_nothing_more() throws Exception {
    var config = new KubeConfigFile(folder.resolve("new/config"));
    config.merge(SERVER, ADMIN);
    String once = Files.readString(config.path());

    config.merge(SERVER, ADMIN);

    assertThat(Files.readString(config.path())).isEqualTo(once);
  }

  @Test
  void only_its_owner_can_read_it() throws Exception {
    var config = new KubeConfigFile(folder.resolve("config"));

    config.merge(SERVER, ADMIN);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(config.path())))
        .isEqualTo("rw-------");
  }

  @Test
  void does_not_touch_a_file_that_is_not_a_kubeconfig() throws Exception {
    Path file = folder.resolve("config");
    Files.writeString(file, "a: [1,\n");

    assertThatThrownBy(() -> new KubeConfigFile(file).merge(SERVER, ADMIN))
        .isInstanceOf(CliFailure.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("--kubeconfig");
    assertThat(Files.readString(file)).isEqualTo("a: [1,\n");
  }

  @Test
  void takes_the_first_file_kubectl_would_take() {
    assertThat(KubeConfigFile.ofUser(Map.of("KUBECONFIG", "/a/b:/c"), Path.of("/home/u")).path())
        .isEqualTo(Path.of("/a/b"));
    assertThat(KubeConfigFile.ofUser(Map.of(), Path.of("/home/u")).path())
        .isEqualTo(Path.of("/home/u/.kube/config"));
  }
}
