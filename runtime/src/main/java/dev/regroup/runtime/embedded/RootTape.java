package dev.regroup.runtime.embedded;

import static dev.regroup.runtime.linux.Syscall.CHDIR;
import static dev.regroup.runtime.linux.Syscall.MKDIRAT;
import static dev.regroup.runtime.linux.Syscall.MKNODAT;
import static dev.regroup.runtime.linux.Syscall.MOUNT;
import static dev.regroup.runtime.linux.Syscall.MOUNT_SETATTR;
import static dev.regroup.runtime.linux.Syscall.MOVE_MOUNT;
import static dev.regroup.runtime.linux.Syscall.OPEN_TREE;
import static dev.regroup.runtime.linux.Syscall.PIVOT_ROOT;
import static dev.regroup.runtime.linux.Syscall.SYMLINKAT;
import static dev.regroup.runtime.linux.Syscall.UMASK;
import static dev.regroup.runtime.linux.Syscall.UMOUNT2;
import static dev.regroup.runtime.linux.Syscall.UNLINKAT;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_EMPTY_PATH;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.AT_RECURSIVE;
import static dev.regroup.runtime.tape.Constants.MNT_DETACH;
import static dev.regroup.runtime.tape.Constants.MOVE_MOUNT_F_EMPTY_PATH;
import static dev.regroup.runtime.tape.Constants.MOVE_MOUNT_T_SYMLINKS;
import static dev.regroup.runtime.tape.Constants.MS_BIND;
import static dev.regroup.runtime.tape.Constants.MS_NODEV;
import static dev.regroup.runtime.tape.Constants.MS_NOEXEC;
import static dev.regroup.runtime.tape.Constants.MS_NOSUID;
import static dev.regroup.runtime.tape.Constants.MS_RDONLY;
import static dev.regroup.runtime.tape.Constants.MS_REMOUNT;
import static dev.regroup.runtime.tape.Constants.OPEN_TREE_CLOEXEC;
import static dev.regroup.runtime.tape.Constants.OPEN_TREE_CLONE;
import static dev.regroup.runtime.tape.Constants.S_IFCHR;
import static dev.regroup.runtime.tape.Constants.S_IFREG;

import dev.regroup.runtime.ContainerSpec.Mount.Access;
import dev.regroup.runtime.ContainerSpec.Privilege;
import dev.regroup.runtime.ContainerSpec.RootFilesystem;
import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The passage that puts a container's root file system together: a small tmpfs with one overlay per
 * directory of the host (see {@link PreparedRoot}), own /dev, /proc, /sys, /tmp and /run.
 *
 * <p>What the pod mounts is opened before the root changes, by paths of the host, and put in place
 * afterwards, by paths of the container: no link in either can lead into the other.
 */
final class RootTape {

  private static final String TMPFS = "tmpfs";
  private static final String[][] DEVICES = {
    {"null", "1", "3"},
    {"zero", "1", "5"},
    {"full", "1", "7"},
    {"random", "1", "8"},
    {"urandom", "1", "9"},
    {"tty", "5", "0"},
  };
  private static final List<String> READ_ONLY_PROC =
      List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");
  private static final List<String> HIDDEN_PROC = List.of("/proc/kcore", "/proc/keys");

  /** struct mount_attr: set MOUNT_ATTR_RDONLY, clear nothing. */
  private static final int ATTR_BYTES = 32;

  private static final Arg READ_ONLY_ATTR =
      new Arg.Bytes(
          ByteBuffer.allocate(ATTR_BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(1).array(),
          "{attr_set=MOUNT_ATTR_RDONLY}");

  private final ContainerPlan plan;
  private final TapeWriter tape;
  private final String fail;
  private final int firstTreeFd;

  RootTape(ContainerPlan plan, TapeWriter tape, String fail, int firstTreeFd) {
    this.plan = plan;
    this.tape = tape;
    this.fail = fail;
    this.firstTreeFd = firstTreeFd;
  }

  void write() {
    tape.attempt(UMASK, n(0));
    openTrees();
    mount(TMPFS, plan.mountPoint().toString(), TMPFS, MS_NOSUID.or(MS_NODEV), "mode=755,size=64m");
    tape.must(fail, CHDIR, text(plan.mountPoint().toString()));
    hostDirectories();
    hide();
    devices();
    own();
    tape.must(fail, PIVOT_ROOT, text("."), text("."));
    tape.must(fail, UMOUNT2, text("."), MNT_DETACH); // the old root lies on top
    tape.must(fail, CHDIR, text("/"));
    placeTrees();
    TapeParts.makeDirectories(tape, plan.spec().workingDir());
    if (plan.spec().root() == RootFilesystem.READ_ONLY) {
      seal();
    }
  }

  private void openTrees() {
    int fd = firstTreeFd;
    for (var bind : plan.mounts()) {
      if (bind.makeSource()) {
        TapeParts.makeDirectories(tape, bind.source().toString());
      }
      tape.must(
          fail,
          OPEN_TREE,
          AT_FDCWD,
          text(bind.source().toString()),
          OPEN_TREE_CLONE.or(OPEN_TREE_CLOEXEC).or(AT_RECURSIVE));
      if (bind.access() == Access.READ_ONLY) {
        tape.must(
            fail,
            MOUNT_SETATTR,
            n(fd),
            text(""),
            AT_EMPTY_PATH.or(AT_RECURSIVE),
            READ_ONLY_ATTR,
            n(ATTR_BYTES));
      }
      fd++;
    }
  }

  private void hostDirectories() {
    int overlay = ContainerTape.OVERLAY_FD;
    for (RootEntry entry : plan.root()) {
      String name = relative(entry.path());
      switch (entry) {
        case RootEntry.Link link ->
            tape.must(fail, SYMLINKAT, text(link.target()), AT_FDCWD, text(name));
        case RootEntry.Empty _ -> // one further down shows already
            tape.attempt(MKDIRAT, AT_FDCWD, text(name), octal(0755));
        case RootEntry.ReadOnly readOnly -> {
          tape.attempt(MKDIRAT, AT_FDCWD, text(name), octal(0755));
          tape.must(fail, MOUNT, text(readOnly.path().toString()), text(name), NULL, MS_BIND, NULL);
          remountReadOnly(name);
        }
        case RootEntry.Overlay _ -> {
          tape.attempt(MKDIRAT, AT_FDCWD, text(name), octal(0755));
          tape.must(
              fail,
              MOVE_MOUNT,
              n(overlay++),
              text(""),
              AT_FDCWD,
              text(name),
              MOVE_MOUNT_F_EMPTY_PATH);
        }
      }
    }
  }

  private void hide() {
    for (Path hidden : plan.hidden()) {
      mount(TMPFS, relative(hidden), TMPFS, MS_RDONLY.or(MS_NOSUID).or(MS_NODEV), "size=4k");
    }
  }

  private void devices() {
    directory("dev");
    mount(TMPFS, "dev", TMPFS, MS_NOSUID, "mode=755,size=64k");
    for (String[] device : DEVICES) {
      long number = (Long.parseLong(device[1]) << 8) | Long.parseLong(device[2]);
      tape.must(
          fail,
          MKNODAT,
          AT_FDCWD,
          text("dev/" + device[0]),
          S_IFCHR.or(octal(0666)),
          Arg.flag("makedev(%s, %s)".formatted(device[1], device[2]), number));
    }
    link("/proc/self/fd", "dev/fd");
    link("/proc/self/fd/0", "dev/stdin");
    link("/proc/self/fd/1", "dev/stdout");
    link("/proc/self/fd/2", "dev/stderr");
    link("pts/ptmx", "dev/ptmx");
    directory("dev/pts");
    mount(
        "devpts",
        "dev/pts",
        "devpts",
        MS_NOSUID.or(MS_NOEXEC),
        "newinstance,ptmxmode=0666,mode=0620,gid=5");
    directory("dev/mqueue");
    mount("mqueue", "dev/mqueue", "mqueue", MS_NOSUID.or(MS_NODEV).or(MS_NOEXEC), null);
    directory("dev/shm"); // the pod's containers share it
    tape.must(fail, MOUNT, text(plan.shm().toString()), text("dev/shm"), NULL, MS_BIND, NULL);
  }

  private void own() {
    directory("proc");
    directory("sys");
    var system = MS_NOSUID.or(MS_NODEV).or(MS_NOEXEC);
    boolean privileged = plan.spec().user().privilege() == Privilege.PRIVILEGED;
    mount("sysfs", "sys", "sysfs", privileged ? system : system.or(MS_RDONLY), null);
    directory("run");
    mount(TMPFS, "run", TMPFS, MS_NOSUID.or(MS_NODEV), "mode=755,size=64m");
    // /tmp can grow: it lies on disk, with the attempt.
    String tmp = plan.attempt().resolve(Layout.TMP).toString();
    directory("tmp");
    tape.must(fail, MOUNT, text(tmp), text("tmp"), NULL, MS_BIND, NULL);
  }

  private void placeTrees() {
    int fd = firstTreeFd;
    for (var bind : plan.mounts()) {
      String target = bind.target();
      if (bind.at() == ContainerPlan.Target.LINK) {
        tape.attempt(UNLINKAT, AT_FDCWD, text(target), n(0));
      }
      switch (bind.kind()) {
        case DIRECTORY -> TapeParts.makeDirectories(tape, target);
        case FILE -> {
          int slash = target.lastIndexOf('/');
          TapeParts.makeDirectories(tape, target.substring(0, slash));
          tape.attempt(MKNODAT, AT_FDCWD, text(target), S_IFREG.or(octal(0644)), n(0));
        }
      }
      tape.must(
          fail,
          MOVE_MOUNT,
          n(fd),
          text(""),
          AT_FDCWD,
          text(target),
          MOVE_MOUNT_F_EMPTY_PATH.or(MOVE_MOUNT_T_SYMLINKS));
      fd++;
    }
  }

  private void seal() {
    for (RootEntry entry : plan.root()) {
      if (entry instanceof RootEntry.Overlay overlay) {
        readOnly(overlay.path().toString());
      }
    }
    readOnly("/tmp");
    readOnly("/run");
    readOnly("/");
  }

  private void readOnly(String path) {
    tape.must(fail, MOUNT_SETATTR, AT_FDCWD, text(path), n(0), READ_ONLY_ATTR, n(ATTR_BYTES));
  }

  /** The child's part: only a process inside the new process namespace can mount its /proc. */
  static void proc(TapeWriter tape, String orElse, Privilege privilege) {
    var flags = MS_NOSUID.or(MS_NODEV).or(MS_NOEXEC);
    tape.must(orElse, MOUNT, text("proc"), text("/proc"), text("proc"), flags, NULL);
    if (privilege == Privilege.PRIVILEGED) {
      return;
    }
    for (String path : READ_ONLY_PROC) { // not every kernel has all of them
      tape.attempt(MOUNT, text(path), text(path), NULL, MS_BIND, NULL);
      tape.attempt(
          MOUNT, NULL, text(path), NULL, MS_REMOUNT.or(MS_BIND).or(MS_RDONLY).or(flags), NULL);
    }
    for (String path : HIDDEN_PROC) {
      tape.attempt(MOUNT, text("/dev/null"), text(path), NULL, MS_BIND, NULL);
    }
  }

  private void directory(String name) {
    tape.must(fail, MKDIRAT, AT_FDCWD, text(name), octal(0755));
  }

  private void link(String target, String name) {
    tape.must(fail, SYMLINKAT, text(target), AT_FDCWD, text(name));
  }

  private void remountReadOnly(String name) {
    tape.must(fail, MOUNT_SETATTR, AT_FDCWD, text(name), n(0), READ_ONLY_ATTR, n(ATTR_BYTES));
  }

  private void mount(
      String source, String target, String type, Arg.Value flags, @Nullable String options) {
    Arg data = options == null ? NULL : text(options);
    tape.must(fail, MOUNT, text(source), text(target), text(type), flags, data);
  }

  private static String relative(Path path) {
    return path.toString().substring(1);
  }
}
