package dev.regroup.runtime.embedded.root;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.embedded.Facts;
import dev.regroup.runtime.embedded.Machine;
import dev.regroup.runtime.embedded.RootOnly;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.Trash;
import dev.regroup.runtime.embedded.tapes.Hidden;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Root file systems made in advance. */
class PreparedRootsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir Path directory;

  @BeforeEach
  void containers_need_root() {
    RootOnly.check();
  }

  /** What is mounted meanwhile, by whomever, makes what is ready old: then the next one counts. */
  @Test
  void a_run_begins_with_a_directory_that_was_ready() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var pod = machine.sandbox();
      boolean used = false;
      awaitPrepared(2);
      for (int run = 0; run < 10 && !used; run++) {
        used = beginsWithWhatIsReady(machine, pod, run);
        awaitPrepared(run + 3); // one for each container there is, and two more
      }
      assertThat(used).isTrue();
    }
    assertThat(prepared()).isEmpty();
  }

  private void awaitPrepared(int wanted) {
    assertThat(Facts.within(PATIENCE, () -> prepared().size() == wanted)).isTrue();
  }

  /** Whether the directory of this run is one of those that were there. */
  private boolean beginsWithWhatIsReady(Machine machine, PodUid pod, int run) throws Exception {
    var ready = prepared().stream().map(PreparedRootsIT::inode).toList();
    var spec = Machine.shell(pod, "main" + run, "true");

    machine.run(spec);

    return ready.contains(inode(new Layout(machine.directory.toRealPath()).run(spec.key())));
  }

  @Test
  void the_next_run_throws_away_what_the_last_prepared() throws Exception {
    Path old = Files.createDirectories(directory.resolve("data/prepared/old/upper"));

    try (var machine = new Machine(directory.resolve("data"))) {
      assertThat(machine.run(Machine.shell(machine.sandbox(), "main", "true")).exitCode())
          .isEqualTo(OptionalInt.of(0));
    }

    assertThat(old).doesNotExist();
  }

  @Test
  void a_directory_keeps_its_owner_and_mode() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var pod = machine.sandbox();

      machine.run(Machine.shell(pod, "main", "stat -c '%a %u %g' /root /usr"));

      assertThat(machine.log(new ContainerKey(pod, "main", 0)))
          .containsExactly(look(Path.of("/root")), look(Path.of("/usr")));
    }
  }

  @Test
  void what_was_prepared_is_old_when_the_host_changes() throws Exception {
    Path data = Files.createDirectories(directory.resolve("data"));
    try (var trash = new Trash(data.resolve("trash"))) {
      var others = new HiddenRegister(directory.resolve("runtimes"));
      var host = HostView.of(new Layout(data), trash, List.of(data), List.of(), others);
      var now = host.look();

      assertThat(now.isCurrent()).isTrue();
      assertThat(snapshot(now, now.changed(), "").isCurrent())
          .as("something was mounted")
          .isFalse();
      for (Path path : now.changed().keySet()) {
        Map<Path, FileTime> other = new HashMap<>(now.changed());
        other.put(path, FileTime.from(Instant.EPOCH));
        assertThat(snapshot(now, other, now.mounts()).isCurrent()).as("%s changed", path).isFalse();
      }
    }
  }

  @Test
  void what_another_runtime_hides_is_hidden_from_now_on() throws Exception {
    Path data = Files.createDirectories(directory.resolve("data"));
    var others = new HiddenRegister(directory.resolve("runtimes"));
    try (var trash = new Trash(data.resolve("trash"))) {
      var host = HostView.of(new Layout(data), trash, List.of(data), List.of(), others);
      var before = host.look();

      others.keep(Path.of("/var/other"), List.of(Hidden.directory(Path.of("/usr/share"))));

      assertThat(before.isCurrent()).isFalse();
      assertThat(before.hidden()).doesNotContain(Hidden.directory(Path.of("/usr/share")));
      assertThat(host.look().hidden()).contains(Hidden.directory(Path.of("/usr/share")));
    }
  }

  private static HostView.Snapshot snapshot(
      HostView.Snapshot like, Map<Path, FileTime> changed, String mounts) {
    return new HostView.Snapshot(like.entries(), like.hidden(), like.masks(), changed, mounts);
  }

  private List<Path> prepared() {
    try (var entries = Files.list(directory.resolve("data/prepared"))) {
      return entries.toList();
    } catch (java.nio.file.NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Object inode(Path path) {
    try {
      return Files.getAttribute(path, "unix:ino");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String look(Path path) throws IOException {
    var look = Files.readAttributes(path, "unix:mode,uid,gid");
    return "%o %s %s".formatted((int) look.get("mode") & 07777, look.get("uid"), look.get("gid"));
  }
}
