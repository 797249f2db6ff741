package dev.regroup.runtime.embedded.cgroup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.embedded.tapes.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hierarchies as files: what is found where. */
class CgroupTreeTest {

  @TempDir Path mount;

  private static String mounted(Path at, String type, String options) {
    return "33 24 0:29 / %s rw,nosuid - %s %s rw,%s".formatted(at, type, type, options);
  }

  /** A group of version 2; with a type it is not the machine's root. */
  private Path group(String path, String controllers, String passedOn, String processes)
      throws IOException {
    Path group = Files.createDirectories(mount.resolve(path));
    Files.writeString(group.resolve("cgroup.controllers"), controllers + "\n");
    Files.writeString(group.resolve("cgroup.subtree_control"), passedOn + "\n");
    Files.writeString(group.resolve("cgroup.procs"), processes);
    if (!path.isEmpty()) {
      Files.writeString(group.resolve("cgroup.type"), "domain\n");
    }
    return group;
  }

  private CgroupTree unified(String own) {
    return CgroupTree.of(List.of(mounted(mount, "cgroup2", "nsdelegate")), Map.of("", own));
  }

  @Test
  void version_1_wins_where_its_controllers_are() throws IOException {
    Path memory = Files.createDirectories(mount.resolve("memory/own"));
    Path cpu = Files.createDirectories(mount.resolve("cpu"));
    var mounts =
        List.of(
            mounted(mount.resolve("unified"), "cgroup2", ""),
            mounted(mount.resolve("memory"), "cgroup", "memory"),
            mounted(cpu, "cgroup", "cpu,cpuacct"),
            mounted(mount.resolve("gone"), "cgroup", "pids"));
    var own =
        CgroupTree.ownGroups(List.of("4:memory:/own", "2:cpu,cpuacct:/", "1:pids:/x", "0::/"));

    var tree = CgroupTree.of(mounts, own);

    assertThat(tree).isEqualTo(new CgroupTree.PerController(Map.of("memory", memory, "cpu", cpu)));
  }

  @Test
  void of_version_2_the_nearest_group_that_passes_on_everything_is_taken() throws IOException {
    group("", "cpu io memory pids", "cpu io memory pids", "1\n2\n");
    Path slice = group("user.slice", "cpu io memory pids", "cpu memory pids", "");
    group("user.slice/session", "cpu memory pids", "", "4711\n");

    assertThat(unified("/user.slice/session"))
        .isEqualTo(new CgroupTree.Unified(slice, Set.of("memory", "cpu", "pids")));
  }

  @Test
  void a_group_without_processes_can_be_told_to_pass_on_more() throws IOException {
    group("", "cpu memory pids", "memory pids", "");
    Path empty = group("a", "cpu memory pids", "", "");
    group("a/b", "cpu memory pids", "", "4711\n");

    assertThat(unified("/a/b"))
        .isEqualTo(new CgroupTree.Unified(empty, Set.of("memory", "cpu", "pids")));
  }

  @Test
  void a_group_farther_up_is_taken_if_it_passes_on_more() throws IOException {
    Path root = group("", "cpu memory pids", "memory pids", "1\n");
    group("a", "memory pids", "memory", "17\n");
    group("a/b", "memory", "", "4711\n");

    assertThat(unified("/a/b"))
        .as("the root may have processes")
        .isEqualTo(new CgroupTree.Unified(root, Set.of("memory", "cpu", "pids")));
  }

  @Test
  void without_a_controller_limits_are_off() throws IOException {
    group("", "hugetlb", "", "1\n");

    assertThat(unified("/").controllers()).isEmpty();
    assertThat(CgroupTree.of(List.of("no mounts"), Map.of())).isEqualTo(new CgroupTree.None());
  }

  @Test
  void a_filter_of_devices_needs_no_controller_only_a_group_of_version_2() throws IOException {
    group("", "", "", "1\n");
    Path own = group("a", "", "", "4711\n");

    assertThat(unified("/a")).isEqualTo(new CgroupTree.Unified(own, Set.of()));
    assertThat(unified("/a").filtersDevices()).isTrue();
    assertThat(new CgroupTree.None().filtersDevices()).isFalse();
  }

  @Test
  void version_1_filters_devices_where_its_hierarchy_is_and_may_be_written() throws IOException {
    Path devices = Files.createDirectories(mount.resolve("devices/own"));
    var own = Map.of("devices", "/own", "memory", "/gone", "", "/own");
    var version1 = mounted(mount.resolve("devices"), "cgroup", "devices");

    assertThat(CgroupTree.of(List.of(version1), own))
        .isEqualTo(new CgroupTree.PerController(Map.of(), Optional.empty(), Optional.of(devices)));
    assertThat(CgroupTree.of(List.of(version1), Map.of("devices", "/gone")))
        .isEqualTo(new CgroupTree.None());
    Path beside = Files.createDirectories(mount.resolve("unified/own"));
    assertThat(
            CgroupTree.of(
                List.of(
                    version1,
                    mounted(mount.resolve("memory"), "cgroup", "memory"),
                    mounted(mount.resolve("unified"), "cgroup2", "")),
                own))
        .as("no limits, but both filters")
        .isEqualTo(
            new CgroupTree.PerController(Map.of(), Optional.of(beside), Optional.of(devices)));
  }

  @Test
  void both_versions_allow_the_same_devices() {
    assertThat(DeviceFilter.rules())
        .contains("b *:* m", "c *:* m", "c 1:3 rwm", "c 5:2 rwm", "c 136:* rwm", "c 143:* rwm")
        .hasSize(2 + Device.DEFAULT.size() + 2 + 8);
  }

  /** What a container engine shows: its group as the root, with the engine's first process. */
  @Test
  void in_a_container_whose_group_has_processes_limits_are_off() throws IOException {
    Path inside = group("", "cpu memory pids", "", "1\n");
    Files.writeString(inside.resolve("cgroup.type"), "domain\n");

    assertThat(unified("/")).isEqualTo(new CgroupTree.Unified(inside, Set.of()));
  }
}
