package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerConfig.Mount;
import dev.regroup.runtime.ContainerConfig.Mount.Access;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.SandboxSpec.MemoryVolume;
import dev.regroup.runtime.embedded.cgroup.CgroupTree;
import dev.regroup.runtime.embedded.tapes.Device;
import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The escape list: every way out of a default container that was ever tried, from inside. Each must
 * fail; what a container is meant to do must go on working beside it.
 */
@SuppressWarnings("NullAway.Init") // set before each test
class EscapesIT {

  private static final int RENAME_EXCHANGE = 2;
  private static final int SESSION_KEYRING = -3;

  @TempDir Path directory;

  /** Where containers see the host's files, unlike in the temporary directory. */
  private Path shown;

  private Machine machine;
  private PodUid pod;

  @BeforeEach
  void open() throws Exception {
    RootOnly.check();
    shown = Files.createTempDirectory(Path.of("/var/tmp"), "regroup-escapes");
    machine =
        new Machine(
            EmbeddedRuntime.Settings.in(directory.resolve("data"))
                .hidingFile(shown.resolve("kubeconfig"))
                .hidingFile(shown.resolve("written-later")));
    pod = machine.sandbox(new MemoryVolume("fast", 1 << 20, 0777));
  }

  @AfterEach
  void close() throws Exception {
    if (machine != null) {
      machine.close();
    }
    if (shown != null) {
      try (var paths = Files.walk(shown)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private ContainerKey key(String name) {
    return new ContainerKey(pod, name, 0);
  }

  /** The names of those attempts that succeed in a default container. */
  private List<String> succeeding(Map<String, String> attempts) throws Exception {
    return succeeding(attempts, List.of());
  }

  private List<String> succeeding(Map<String, String> attempts, List<Mount> mounts)
      throws Exception {
    var script = new StringBuilder();
    attempts.forEach((name, attempt) ->
        script.append("( %s ) > /dev/null 2>&1 && echo '%s'\n".formatted(attempt, name)));
    script.append("echo all tried\n");
    var spec = Machine.shell(pod, "main", script.toString()).withMounts(mounts);
    machine.run(spec);
    var lines = new ArrayList<>(machine.log(spec.key()));
    assertThat(lines).as("the container could try").isNotEmpty();
    assertThat(lines.removeLast()).isEqualTo("all tried");
    return lines;
  }

  private static Mount memory(String subPath, String target) {
    return new Mount(new ContainerConfig.Memory("fast", subPath), target, Access.READ_WRITE);
  }

  private static Mount disk(Path volume, String subPath, String target) {
    return new Mount(new ContainerConfig.HostPath(volume, subPath), target, Access.READ_WRITE);
  }

  @Test
  void forbids_a_link_in_a_memory_volume_to_lead_a_sub_path_out() throws Exception {
    var init =
        Machine.shell(pod, "init", "ln -s / /mem/x; ln -s ../../.. /mem/up; mkdir /mem/real")
            .withMounts(List.of(memory("", "/mem")));
    machine.run(init);
    var inside = Machine.shell(pod, "inside", "ln -s real/deep /mem/in; mkdir /mem/real/deep");
    machine.run(inside.withMounts(List.of(memory("", "/mem"))));

    for (String subPath : List.of("x", "up", "x/etc", "up/etc", "x/made")) {
      var name = "main" + subPath.replace('/', '-');
      var spec = Machine.shell(pod, name, "ls /vol").withMounts(List.of(memory(subPath, "/vol")));
      assertThatThrownBy(() -> machine.runtime.start(spec))
          .as(subPath)
          .isInstanceOf(RuntimeFailure.class)
          .hasMessageContaining("leads out");
    }
    assertThat(Path.of("/made")).doesNotExist();
    var allowed = Machine.shell(pod, "allowed", "touch /vol/file");
    machine.run(allowed.withMounts(List.of(memory("in", "/vol"))));
    var seen = Machine.shell(pod, "seen", "ls /vol; cat /one");
    machine.run(
        seen.withMounts(List.of(memory("real/deep", "/vol"), memory("real/deep/file", "/one"))));
    assertThat(machine.log(seen.key())).as("links that stay inside work").containsExactly("file");
  }

  @Test
  void forbids_a_directory_exchanged_for_a_link_to_lead_a_sub_path_out() throws Exception {
    Path volume = Files.createDirectory(directory.resolve("volume"));
    Path outside = Files.createDirectory(directory.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "secret");
    Files.createDirectory(volume.resolve("a"));
    Files.createSymbolicLink(volume.resolve("b"), outside);
    var stop = new AtomicBoolean();
    var exchanging =
        Thread.ofPlatform()
            .name("exchanging")
            .start(() -> {
              while (!stop.get()) {
                exchange(volume.resolve("a"), volume.resolve("b"));
              }
            });
    var seen = new ArrayList<String>();
    int mounted = 0;
    try {
      for (int i = 0; i < 40; i++) {
        var spec =
            Machine.shell(pod, "main" + i, "ls -A /vol; ls -A /made; echo here")
                .withMounts(List.of(disk(volume, "a", "/vol"), disk(volume, "a/made", "/made")));
        try {
          machine.run(spec);
          mounted++;
          seen.addAll(machine.log(spec.key()));
        } catch (RuntimeFailure e) { // a link when it was to be made, a directory when opened
          assertThat(e.getMessage()).containsAnyOf("leads out", "no such file or directory");
        }
      }
    } finally {
      stop.set(true);
      exchanging.join();
    }
    assertThat(seen).doesNotContain("secret").hasSizeGreaterThanOrEqualTo(mounted);
    assertThat(outside.toFile().list()).as("nothing was made outside").containsExactly("secret");
  }

  private static void exchange(Path one, Path other) {
    try (var arena = Arena.ofConfined()) {
      Linux.tryCall(
          Syscall.RENAMEAT2,
          Linux.AT_FDCWD,
          arena.allocateFrom(one.toString()).address(),
          Linux.AT_FDCWD,
          arena.allocateFrom(other.toString()).address(),
          RENAME_EXCHANGE);
    }
  }

  @Test
  void forbids_missing_directories_of_a_sub_path_to_be_made_outside() throws Exception {
    Path volume = Files.createDirectory(directory.resolve("volume"));
    Path outside = Files.createDirectory(directory.resolve("outside"));
    Files.setAttribute(volume, "unix:mode", 0777);
    Files.createSymbolicLink(volume.resolve("out"), outside);

    var leading =
        Machine.shell(pod, "main", "true")
            .withMounts(List.of(disk(volume, "out/new/deeper", "/vol")));

    assertThatThrownBy(() -> machine.runtime.start(leading)).hasMessageContaining("leads out");
    assertThat(outside.toFile().list()).isEmpty();
    var allowed = Machine.shell(pod, "allowed", "stat -c %a /vol");
    machine.run(allowed.withMounts(List.of(disk(volume, "new/deeper", "/vol"))));
    assertThat(machine.log(allowed.key())).as("made like its volume").containsExactly("777");
    assertThat(volume.resolve("new/deeper")).isDirectory();
  }

  @Test
  void forbids_device_files_to_open_anything() throws Exception {
    Path volume = Files.createDirectory(directory.resolve("volume"));
    String disk = diskOfHost();
    var attempts = new LinkedHashMap<String, String>();
    for (String place : List.of("/tmp", "/dev", "/dev/shm", "/root", "/run", "/etc", "/vol", "/")) {
      String file = place + "/made";
      attempts.put("disk in " + place, "mknod %s b %s; head -c 1 %s".formatted(file, disk, file));
    }
    var devices =
        Map.of(
            "mem",
            "1 1",
            "kmsg",
            "1 11",
            "tun",
            "10 200",
            "fuse",
            "10 229",
            "kvm",
            "10 232",
            "loop-control",
            "10 237",
            "vhost-net",
            "10 238");
    for (String place : List.of("/tmp", "/dev", "/mem")) {
      devices.forEach((name, number) ->
          attempts.put(
              name + " in " + place,
              "mknod %s/%s c %s; exec 3<> %s/%s".formatted(place, name, number, place, name)));
    }
    attempts.put("zero, made elsewhere", "mknod /tmp/zero c 1 5; head -c 1 /tmp/zero");
    attempts.put("null, linked", "ln /dev/null /dev/another");
    attempts.put("null, renamed", "mv /dev/null /tmp/null");

    assertThat(succeeding(attempts, List.of(disk(volume, "", "/vol"), memory("", "/mem"))))
        .isEmpty();
  }

  private static String diskOfHost() throws IOException {
    return Device.ofHost().stream()
        .filter(device -> device.type() == Device.Type.BLOCK)
        .findFirst()
        .map(device -> device.major() + " " + device.minor())
        .orElse("7 0");
  }

  @Test
  void forbids_devices_also_to_who_may_mount() throws Exception {
    assertOpensNoDevices(machine, pod);
  }

  /** As on a machine without version 2 of control groups. */
  @Test
  void forbids_devices_also_where_only_version_1_can() throws Exception {
    var devices = CgroupTree.find().devices();
    if (devices.isEmpty()) {
      System.out.println("skipped: no writable cgroup version 1 for devices here");
    }
    assumeTrue(devices.isPresent(), "no writable cgroup version 1 for devices here");
    var tree = new CgroupTree.PerController(Map.of(), Optional.empty(), devices);
    Path data = directory.resolve("version-1");
    try (var old = new Machine(data, tree)) {
      assertOpensNoDevices(old, old.sandbox());
      assertThat(Files.readAllLines(data.resolve("cgroups"))).anyMatch(l -> l.contains("devices"));
    }
    assertThat(data.resolve("cgroups")).as("the group is gone with the last").doesNotExist();
  }

  private static void assertOpensNoDevices(Machine machine, PodUid pod) throws Exception {
    var all = new java.util.HashSet<>(dev.regroup.runtime.Capabilities.ALL);
    var user =
        new ContainerConfig.User(
            0,
            0,
            List.of(),
            all,
            ContainerConfig.Privilege.ORDINARY,
            ContainerConfig.Escalation.ALLOWED,
            dev.regroup.runtime.Seccomp.UNCONFINED);
    var spec =
        Machine.shell(
                pod,
                "main",
                """
                mount -t tmpfs none /mnt && mknod /mnt/zero c 1 5 && mknod /mnt/kmsg c 1 11
                head -c 1 /mnt/zero | wc -c; (exec 3< /mnt/kmsg) 2> /dev/null && echo opened
                """)
            .withUser(user);

    machine.run(spec);

    assertThat(machine.log(spec.key())).containsExactly("1");
    var executed =
        machine.runtime.start(Machine.shell(pod, "other", "sleep 1000").withUser(user)).key();
    var result =
        machine.runtime.run(
            executed,
            List.of("sh", "-c", "mount -t tmpfs none /mnt; mknod /mnt/k c 1 11; exec 3< /mnt/k"),
            java.time.Duration.ofSeconds(20),
            4096);
    assertThat(result.exitCode()).as("a command executed later").isNotEqualTo(OptionalInt.of(0));
  }

  @Test
  void lets_the_usual_devices_work() throws Exception {
    var spec =
        Machine.shell(
            pod,
            "main",
            """
            echo x > /dev/null; head -c 2 /dev/zero | wc -c; head -c 2 /dev/urandom | wc -c
            head -c 2 /dev/random | wc -c; echo x 2> /dev/null > /dev/full || echo full
            script -qc 'test -t 0 && echo terminal' /dev/null < /dev/null; echo out >> /dev/stdout
            """);

    machine.run(spec);

    assertThat(machine.log(spec.key()).stream().map(String::strip))
        .containsSequence("2", "2", "2", "full")
        .contains("terminal", "out");
  }

  @Test
  void forbids_to_read_credentials_homes_and_keys_of_the_host() throws Exception {
    Files.writeString(shown.resolve("kubeconfig"), "secret");
    Files.writeString(shown.resolve("public"), "public");
    var attempts = new LinkedHashMap<String, String>();
    attempts.put("kubeconfig", "grep . %s/kubeconfig".formatted(shown));
    attempts.put("kubeconfig written later", "grep . %s/written-later".formatted(shown));
    for (String file : List.of("shadow", "shadow-", "gshadow", "gshadow-", "sudoers")) {
      attempts.put(file, "grep . /etc/" + file);
    }
    attempts.put("keys", "cat /etc/ssh/ssh_host_*_key /etc/ssl/private/* | grep .");
    attempts.put("home of root", "ls -A /root | grep .");
    attempts.put("homes", "ls -A /home | grep .");
    attempts.put("data directory", "ls -A " + directory.resolve("data"));
    attempts.put("hidden after removing the cover", "rm /etc/shadow; grep . /etc/shadow");
    attempts.put("homes after removing", "rmdir /home/* ; ls -A /home | grep .");
    attempts.put("what a link leads to", "ln -s /root/.bashrc /tmp/x; cat /tmp/x");
    attempts.put("unreadable in /etc", "find /etc -type f ! -perm -o+r -size +0 | grep .");
    Files.writeString(shown.resolve("written-later"), "secret");

    assertThat(succeeding(attempts)).isEmpty();

    var allowed =
        Machine.shell(
                pod, "allowed", "cat %s/public; echo; cd; echo x > ~/x; cat ~/x".formatted(shown))
            .withEnv(Map.of("HOME", "/root"));
    machine.run(allowed);
    assertThat(machine.log(allowed.key())).containsExactly("public", "x");
    assertThat(Path.of("/root/x")).doesNotExist();
  }

  @Test
  void forbids_to_read_what_containerd_masks() throws Exception {
    var attempts = new LinkedHashMap<String, String>();
    for (String file :
        List.of("interrupts", "kcore", "keys", "latency_stats", "sched_debug", "timer_list")) {
      attempts.put(file, "head -c 1 /proc/%s | grep -a .".formatted(file));
    }
    for (String path :
        List.of(
            "/proc/acpi",
            "/proc/asound",
            "/proc/scsi",
            "/sys/firmware",
            "/sys/devices/virtual/powercap")) {
      attempts.put(path, "ls -A %s | grep .".formatted(path));
    }
    attempts.put("unmounting a mask", "umount /proc/keys || umount /sys/firmware");

    assertThat(succeeding(attempts)).isEmpty();
  }

  @Test
  void forbids_to_write_to_the_kernel() throws Exception {
    var attempts = new LinkedHashMap<String, String>();
    attempts.put("core_pattern", ": >> /proc/sys/kernel/core_pattern");
    attempts.put("modprobe", ": >> /proc/sys/kernel/modprobe");
    attempts.put("any sysctl", "find /proc/sys -type f -writable | head -n 1 | grep .");
    attempts.put("sysrq", "echo h > /proc/sysrq-trigger");
    attempts.put("irq", ": >> /proc/irq/default_smp_affinity");
    attempts.put("sys", ": >> /sys/kernel/mm/ksm/run || : >> /sys/power/state");
    attempts.put("uevent helper", ": >> /sys/kernel/uevent_helper");
    attempts.put("remount proc", "mount -o remount,rw /proc/sys");
    attempts.put("remount sys", "mount -o remount,rw /sys");
    attempts.put("module", "insmod /tmp/x.ko || modprobe dummy");
    attempts.put("clock", "date -s @$(date +%s)");
    attempts.put("host name", "hostname other");
    attempts.put("kernel log", "dmesg");
    attempts.put("oom score", "echo -1000 > /proc/self/oom_score_adj");

    assertThat(succeeding(attempts)).isEmpty();
  }

  @Test
  void forbids_to_mount_and_to_leave_namespaces() throws Exception {
    var attempts = new LinkedHashMap<String, String>();
    attempts.put("tmpfs", "mount -t tmpfs none /mnt");
    attempts.put("bind", "mount --bind / /mnt");
    attempts.put("remount", "mount -o remount,dev /tmp");
    attempts.put("proc of the host", "nsenter -t 1 -m true");
    attempts.put("parent of PID 1", "ls /proc/1/root/../../proc/2");
    attempts.put("other root", "test \"$(stat -c %i /proc/1/root/)\" != \"$(stat -c %i /)\"");
    attempts.put("cgroup", "mkdir -p /tmp/cg; mount -t cgroup -o memory none /tmp/cg");
    attempts.put("cgroup 2", "mkdir -p /tmp/cg; mount -t cgroup2 none /tmp/cg");
    attempts.put(
        "release agent",
        "unshare -UrmC sh -c 'mount -t cgroup -o memory none /mnt && echo /x >"
            + " /mnt/release_agent'");
    attempts.put(
        "device in a user namespace",
        "unshare -Urm sh -c 'mount -t tmpfs none /mnt && mknod /mnt/x c 1 11 && cat /mnt/x'");
    attempts.put(
        "mask in a user namespace", "unshare -Urm sh -c 'umount /proc/keys && cat /proc/keys'");
    attempts.put(
        "writable in a user namespace", "unshare -Urm sh -c 'mount -o remount,rw,bind /proc/sys'");
    attempts.put("chroot", "mkdir -p /tmp/c; chroot /tmp/c ls ../../../../root");
    attempts.put("reboot", "reboot -f");

    assertThat(succeeding(attempts)).isEmpty();
  }

  @Test
  void forbids_to_see_the_keys_of_the_host_and_of_other_containers() throws Exception {
    int number = Syscall.KEYCTL.number(Architecture.current());
    var keyring = "perl -e 'print syscall(%d, 0, %d, 0)'".formatted(number, SESSION_KEYRING);

    var one = Machine.shell(pod, "one", keyring);
    var other = Machine.shell(pod, "other", keyring);
    machine.run(one);
    machine.run(other);

    long ours = Linux.tryCall(Syscall.KEYCTL, 0, SESSION_KEYRING, 0);
    assertThat(machine.log(one.key())).singleElement().asString().matches("[1-9][0-9]*");
    assertThat(machine.log(one.key()))
        .isNotEqualTo(machine.log(other.key()))
        .isNotEqualTo(List.of(Long.toString(ours)));
  }

  @Test
  void forbids_to_see_the_groups_of_the_host() throws Exception {
    var spec = Machine.shell(pod, "main", "cat /proc/self/cgroup; ls -A /sys/fs/cgroup");

    machine.run(spec);

    assertThat(machine.log(spec.key())).isNotEmpty().allMatch(line -> line.endsWith(":/"));
  }

  @Test
  void forbids_to_reach_processes_and_sockets_of_the_host() throws Exception {
    var other = machine.runtime.start(Machine.shell(pod, "other", "sleep 1000"));
    var attempts = new LinkedHashMap<String, String>();
    attempts.put("see others", "grep -l sleep /proc/[0-9]*/comm");
    attempts.put("kill by number", "kill -9 " + other.pid());
    attempts.put("kill all", "trap '' TERM; kill -TERM -1");
    attempts.put("memory of others", "head -c 1 /proc/%d/mem".formatted(other.pid()));
    attempts.put("abstract sockets", "grep -v Inode /proc/net/unix | grep .");
    attempts.put("sockets of the host", "ls /run/*.sock /run/*/*.sock /var/run/docker.sock");
    attempts.put("queues", "ipcs -q | grep 0x");

    var succeeded = new ArrayList<>(succeeding(attempts));

    succeeded.remove("kill all"); // only itself was there to be killed
    assertThat(succeeded).isEmpty();
    assertThat(machine.record(other.key()).state()).isEqualTo(State.RUNNING);
  }

  @Test
  void forbids_a_termination_message_to_be_anything_but_its_file() throws Exception {
    var links =
        Machine.shell(
            pod,
            "links",
            """
            exec 2> /dev/null
            rm -f /dev/termination-log && ln -s /etc/passwd /dev/termination-log && echo replaced
            mv /dev/termination-log /tmp/ && echo moved
            truncate -s 100G /dev/termination-log; echo the end >> /dev/termination-log
            """);

    machine.run(links);

    assertThat(machine.log(links.key())).isEmpty();
    assertThat(machine.runtime.terminationMessage(links.key(), 8)).isEqualTo("the end\n");
    assertThat(machine.runtime.terminationMessage(links.key(), 4096)).hasSize(4096);
  }

  @Test
  void forbids_to_shorten_stretch_or_change_the_log() throws Exception {
    var spec =
        Machine.shell(
            pod,
            "main",
            """
            echo first; : > /proc/self/fd/1; echo second > /dev/stdout; echo third > /dev/stderr
            truncate -s 0 /proc/self/fd/1 2> /dev/null && echo shortened
            truncate -s 1T /proc/1/fd/2 2> /dev/null && echo stretched
            dd if=/dev/zero bs=1 count=1 seek=0 conv=notrunc of=/proc/1/fd/1 2> /dev/null | true
            readlink /proc/1/fd/1 | cut -d: -f1
            """);

    machine.run(spec);

    assertThat(machine.log(spec.key()))
        .containsSequence("first", "second", "third")
        .contains("\0pipe")
        .doesNotContain("shortened", "stretched");
  }

  @Test
  void an_output_somebody_else_holds_does_not_keep_a_container_from_ending() throws Exception {
    var shared = machine.sharedSandbox();
    var other = Machine.shell(shared, "other", "sleep 1000");
    machine.runtime.start(other);
    var spec =
        Machine.shell(
            shared,
            "main",
            "(trap '' HUP; while :; do echo chatter; done) & head -c 300000 /dev/zero | tr '\\0' x"
                + "; echo; echo last; exit 5");

    machine.runtime.start(spec);

    assertThat(machine.awaitEnd(spec.key()).exitCode()).isEqualTo(OptionalInt.of(5));
    assertThat(machine.log(spec.key())).contains("last");
  }
}
