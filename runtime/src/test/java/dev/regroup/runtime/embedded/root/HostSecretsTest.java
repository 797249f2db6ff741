package dev.regroup.runtime.embedded.root;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.embedded.tapes.Hidden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host as files: what of it containers must not see. */
@SuppressWarnings("NullAway.Init") // set before each test
class HostSecretsTest {

  @TempDir Path directory;
  private Path host;

  @BeforeEach
  void real() throws IOException {
    host = directory.toRealPath();
  }

  private Path file(String name, String permissions) throws IOException {
    Path file = host.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "x");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    return file;
  }

  @Test
  void homes_are_hidden_also_where_a_link_leads_to_them() throws IOException {
    Files.createDirectories(host.resolve("var/home/me"));
    Files.createSymbolicLink(host.resolve("home"), Path.of("var/home"));
    Files.createDirectory(host.resolve("root"));

    assertThat(HostSecrets.find(host))
        .containsExactly(
            Hidden.directory(host.resolve("root")), Hidden.directory(host.resolve("var/home")));
  }

  @Test
  void what_others_may_not_read_in_etc_is_hidden() throws IOException {
    file("etc/passwd", "rw-r--r--");
    Path shadow = file("etc/shadow", "rw-r-----");
    Path key = file("etc/ssh/ssh_host_rsa_key", "rw-------");
    file("etc/ssh/ssh_host_rsa_key.pub", "rw-r--r--");
    Path closed = file("etc/closed/readable", "rw-r--r--").getParent();
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));

    assertThat(HostSecrets.find(host))
        .containsExactlyInAnyOrder(Hidden.file(shadow), Hidden.file(key), Hidden.directory(closed));
  }

  @Test
  void credentials_in_the_homes_of_services_are_hidden() throws IOException {
    file("etc/passwd", "rw-r--r--");
    Files.writeString(
        host.resolve("etc/passwd"),
        "root:x:0:0::/root:/bin/sh\nci:x:9:9::/srv/ci:/bin/sh\nnobody:x:1:1::/:/bin/sh\n");
    Path key = file("srv/ci/.ssh/id", "rw-------");
    file("srv/ci/program", "rwxr-xr-x");
    Path netrc = file("srv/ci/.netrc", "rw-------");

    assertThat(HostSecrets.find(host))
        .containsExactlyInAnyOrder(Hidden.directory(key.getParent()), Hidden.file(netrc));
  }

  @Test
  void more_than_can_be_hidden_one_by_one_is_hidden_as_a_whole() throws IOException {
    Path first = file("etc/aaa/secret", "rw-------");
    for (int i = 0; i <= HostSecrets.MOST; i++) {
      file("etc/big/%d/%d".formatted(i % 7, i), "rw-------");
    }
    file("etc/big/later/key", "rw-------");
    Path after = file("etc/zzz/secret", "rw-------");
    Path single = file("etc/zzzz", "rw-------");

    assertThat(HostSecrets.find(host))
        .containsExactlyInAnyOrder(
            Hidden.file(first),
            Hidden.directory(host.resolve("etc/big")),
            Hidden.file(after),
            Hidden.file(single));
  }

  @Test
  void what_is_too_deep_to_look_into_is_hidden() throws IOException {
    String deep = "etc" + "/d".repeat(HostSecrets.DEPTH);
    file(deep + "/e/key", "rw-------");
    file("etc" + "/d".repeat(HostSecrets.DEPTH - 1) + "/open", "rw-r--r--");

    assertThat(HostSecrets.find(host)).containsExactly(Hidden.directory(host.resolve(deep)));
  }
}
