package dev.regroup.node.volume;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.regroup.node.env.Configs;
import dev.regroup.node.env.DownwardApi;
import dev.regroup.node.env.PodFacts;
import dev.regroup.runtime.ContainerConfig.HostPath;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.KeyToPathBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumesTest {

  @TempDir Path directory;

  private final Map<String, byte[]> data =
      new HashMap<>(Map.of("k", bytes("one"), "j", bytes("jay")));

  private final Configs configs =
      new Configs() {
        @Override
        public Optional<Map<String, byte[]>> configMap(String namespace, String name) {
          return name.equals("cm") ? Optional.of(Map.copyOf(data)) : Optional.empty();
        }

        @Override
        public Optional<Map<String, byte[]>> secret(String namespace, String name) {
          return Optional.empty();
        }
      };

  @Test
  void an_empty_dir_keeps_its_content_when_asked_again() throws Exception {
    var volume = new VolumeBuilder().withName("v").withNewEmptyDir().endEmptyDir().build();
    var first = onDisk(volume);
    Files.writeString(first.resolve("token"), "3");

    var second = onDisk(volume);

    assertThat(second.resolve("token")).hasContent("3");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(second)))
        .isEqualTo("rwxrwxrwx");
  }

  @Test
  void a_memory_volume_is_left_to_the_sandbox() throws Exception {
    var volume =
        new VolumeBuilder()
            .withName("m")
            .withNewEmptyDir()
            .withMedium("Memory")
            .withSizeLimit(new Quantity("1Mi"))
            .endEmptyDir()
            .build();

    assertThat(prepare(volume))
        .isEqualTo(
            new Prepared.InMemory("m", OptionalLong.of(1 << 20), new Prepared.Ownership(01777, 0)));
    assertThat(prepare(volume, 4321L))
        .isEqualTo(
            new Prepared.InMemory(
                "m", OptionalLong.of(1 << 20), new Prepared.Ownership(03777, 4321)));
  }

  @Test
  void a_volume_belongs_to_the_group_of_the_pod() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root may give files away");
    var scratch = new VolumeBuilder().withName("s").withNewEmptyDir().endEmptyDir().build();
    var config =
        new VolumeBuilder()
            .withName("c")
            .withNewConfigMap()
            .withName("cm")
            .withDefaultMode(0400)
            .endConfigMap()
            .build();

    var made = ((Prepared.OnDisk) prepare(scratch, 4321L)).path();
    var files = ((Prepared.OnDisk) prepare(config, 4321L)).path();

    assertThat(look(made)).isEqualTo("2777 4321");
    assertThat(look(files)).isEqualTo("2777 4321");
    assertThat(look(files.resolve("..data"))).isEqualTo("2755 4321");
    assertThat(look(files.resolve("k"))).isEqualTo("440 4321");
  }

  private static String look(Path path) throws Exception {
    var look = Files.readAttributes(path, "unix:mode,gid");
    return "%o %s".formatted((int) look.get("mode") & 07777, look.get("gid"));
  }

  @Test
  void a_config_map_appears_as_files_and_follows_changes_in_one_step() throws Exception {
    var volume =
        new VolumeBuilder().withName("c").withNewConfigMap().withName("cm").endConfigMap().build();
    var path = onDisk(volume);
    assertThat(path.resolve("k")).hasContent("one");

    data.put("k", bytes("two"));
    data.remove("j");
    onDisk(volume);

    assertThat(path.resolve("k")).hasContent("two");
    assertThat(path.resolve("j")).doesNotExist();
    assertThat(Files.readSymbolicLink(path.resolve("k"))).hasToString("..data/k");
    try (var entries = Files.list(path)) {
      assertThat(entries).hasSize(3); // k, ..data and the directory it points to
    }
  }

  @Test
  void items_choose_keys_paths_and_modes() throws Exception {
    var item = new KeyToPathBuilder().withKey("j").withPath("deep/renamed").withMode(0400).build();
    var volume =
        new VolumeBuilder()
            .withName("c")
            .withNewConfigMap()
            .withName("cm")
            .withItems(item)
            .endConfigMap()
            .build();

    var file = onDisk(volume).resolve("deep/renamed");

    assertThat(file).hasContent("jay");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("r--------");
    assertThat(directory.resolve("c/k")).doesNotExist();
  }

  @Test
  void a_missing_config_map_is_named_unless_it_is_optional() throws Exception {
    var needed =
        new VolumeBuilder()
            .withName("c")
            .withNewConfigMap()
            .withName("none")
            .endConfigMap()
            .build();
    var optional =
        new VolumeBuilder()
            .withName("o")
            .withNewConfigMap()
            .withName("none")
            .withOptional(true)
            .endConfigMap()
            .build();

    assertThatThrownBy(() -> prepare(needed))
        .hasMessage("MountVolume.SetUp failed for volume \"c\" : configmap \"none\" not found");
    assertThat(onDisk(optional)).isDirectory();
  }

  @Test
  void the_directory_of_a_claim_belongs_to_the_group_of_the_pod() throws Exception {
    assumeTrue(System.getProperty("user.name").equals("root"), "only root gives files away");
    var claimed = Files.createDirectory(directory.resolve("data"));
    var volume =
        new VolumeBuilder().withName("v").withNewPersistentVolumeClaim("data", false).build();

    prepare(volume, 4711);

    assertThat(Files.getAttribute(claimed, "unix:gid")).isEqualTo(4711);
  }

  @Test
  void a_host_path_is_checked_against_its_type() throws Exception {
    var file = Files.createFile(directory.resolve("file"));
    var wrong = hostPath(file, "Directory");
    var made = hostPath(directory.resolve("fresh/dir"), "DirectoryOrCreate");

    assertThatThrownBy(() -> prepare(wrong))
        .hasMessageContaining("hostPath type check failed: " + file + " is not a directory");
    assertThat(onDisk(made)).isDirectory();
    assertThat(onDisk(hostPath(Path.of("/dev/null"), "CharDevice"))).exists();
  }

  @Test
  void forbids_a_host_path_to_mean_a_place_below_where_the_program_was_started() {
    assertThatThrownBy(() -> prepare(hostPath(Path.of("relative"), "DirectoryOrCreate")))
        .hasMessageEndingWith("hostPath relative: must be absolute");

    assertThat(Path.of("relative")).doesNotExist();
  }

  @Test
  void a_path_that_no_file_can_have_is_named() {
    var volume = new VolumeBuilder().withName("h").withNewHostPath("/a\0b", "").build();

    assertThatThrownBy(() -> prepare(volume))
        .isInstanceOf(VolumeFailure.class)
        .hasMessageContaining("/a\\0b");
  }

  @Test
  void a_mount_path_without_a_slash_is_one_below_the_root() throws Exception {
    var container =
        new ContainerBuilder()
            .withName("c")
            .addNewVolumeMount()
            .withName("v")
            .withMountPath("a/b")
            .endVolumeMount()
            .build();
    var volumes = Map.<String, Prepared>of("v", new Prepared.OnDisk(directory, false));

    assertThat(Mounts.of(container, volumes, Map.of()))
        .extracting(mount -> mount.target())
        .containsExactly("/a/b");
  }

  @Test
  void volumes_show_news_unless_they_last_as_long_as_a_token() {
    var config = new VolumeBuilder().withName("c").withNewConfigMap().endConfigMap().build();
    var own = new VolumeBuilder().withName("d").withNewDownwardAPI().endDownwardAPI().build();
    var scratch = new VolumeBuilder().withName("s").withNewEmptyDir().endEmptyDir().build();
    var token =
        new VolumeBuilder()
            .withName("t")
            .withNewProjected()
            .addNewSource()
            .withNewServiceAccountToken(null, null, "token")
            .endSource()
            .addNewSource()
            .withNewDownwardAPI()
            .endDownwardAPI()
            .endSource()
            .endProjected()
            .build();

    assertThat(Volumes.showsNews(with(scratch, token))).isFalse();
    assertThat(Volumes.showsNews(with(scratch, config))).isTrue();
    assertThat(Volumes.showsItself(with(token, config))).isFalse();
    assertThat(Volumes.showsItself(with(config, own))).isTrue();
  }

  private static Pod with(Volume... volumes) {
    return new PodBuilder().withNewSpec().withVolumes(volumes).endSpec().build();
  }

  @Test
  void a_sub_path_never_leaves_its_volume() throws Exception {
    var root = Files.createDirectory(directory.resolve("root"));
    Files.createSymbolicLink(root.resolve("out"), Path.of("/etc"));
    Files.createSymbolicLink(root.resolve("in"), Path.of("real"));
    Files.createDirectory(root.resolve("real"));

    assertThat(SubPaths.check("v", "c", root, "a/b")).isEqualTo("a/b");
    assertThat(root.resolve("a"))
        .as("the runtime makes it, where nothing can lead it astray")
        .doesNotExist();
    assertThat(SubPaths.check("v", "c", root, "in")).isEqualTo("in");
    assertThat(SubPaths.check("v", "c", root, "./a//b/")).isEqualTo("a/b");
    assertThatThrownBy(() -> SubPaths.check("v", "c", root, "a/../x"))
        .hasMessage("unable to provision SubPath `a/../x`: must not contain '..'");
    assertThatThrownBy(() -> SubPaths.check("v", "c", root, "/etc"))
        .hasMessage("error SubPath `/etc` must not be an absolute path");
    assertThatThrownBy(() -> SubPaths.check("v", "c", root, "out/passwd"))
        .hasMessage("failed to prepare subPath for volumeMount \"v\" of container \"c\"");
  }

  @Test
  void an_expression_for_a_sub_path_must_be_complete() throws Exception {
    var container =
        new ContainerBuilder()
            .withName("c")
            .addNewVolumeMount()
            .withName("v")
            .withMountPath("/v")
            .withSubPathExpr("$(B)/$(A)/$(POD)")
            .endVolumeMount()
            .build();
    var volumes = Map.<String, Prepared>of("v", new Prepared.OnDisk(directory, false));

    assertThatThrownBy(() -> Mounts.of(container, volumes, Map.of("POD", "p", "A", "")))
        .hasMessage("missing value for A, B");
    assertThatThrownBy(() -> Mounts.of(container, Map.of(), Map.of()))
        .hasMessage("cannot find volume \"v\" to mount into container \"c\"");
    assertThat(Mounts.of(container, volumes, Map.of("POD", "p", "A", "a", "B", "b")))
        .singleElement()
        .extracting(mount -> mount.source())
        .isEqualTo(new HostPath(directory, "b/a/p"));
  }

  private static Volume hostPath(Path path, String type) {
    return new VolumeBuilder().withName("h").withNewHostPath(path.toString(), type).build();
  }

  private Path onDisk(Volume volume) throws Exception {
    return ((Prepared.OnDisk) prepare(volume)).path();
  }

  private Prepared prepare(Volume volume) throws Exception {
    return prepare(pod(volume));
  }

  private Prepared prepare(Volume volume, long fsGroup) throws Exception {
    var context = new PodSecurityContextBuilder().withFsGroup(fsGroup).build();
    return prepare(pod(volume).edit().editSpec().withSecurityContext(context).endSpec().build());
  }

  private Prepared prepare(Pod pod) throws Exception {
    var facts = new PodFacts("n", "", "", BigDecimal.ONE, BigDecimal.ONE);
    var prepared =
        new Volumes(directory, configs, (_, _, claim) -> directory.resolve(claim))
            .prepare(pod, new DownwardApi(pod, facts));
    return prepared.values().iterator().next();
  }

  private static Pod pod(Volume volume) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("p")
        .withNamespace("ns")
        .endMetadata()
        .withNewSpec()
        .withVolumes(volume)
        .endSpec()
        .build();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
