package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.CHDIR;
import static dev.regroup.runtime.linux.Syscall.CLOSE_RANGE;
import static dev.regroup.runtime.linux.Syscall.MKDIRAT;
import static dev.regroup.runtime.linux.Syscall.MKNODAT;
import static dev.regroup.runtime.linux.Syscall.MOUNT;
import static dev.regroup.runtime.linux.Syscall.MOUNT_SETATTR;
import static dev.regroup.runtime.linux.Syscall.MOVE_MOUNT;
import static dev.regroup.runtime.linux.Syscall.OPENAT;
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
import static dev.regroup.runtime.tape.Constants.MOUNT_ATTR_NODEV;
import static dev.regroup.runtime.tape.Constants.MOUNT_ATTR_RDONLY;
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
import static dev.regroup.runtime.tape.Constants.O_PATH;
import static dev.regroup.runtime.tape.Constants.S_IFREG;

import dev.regroup.runtime.ContainerConfig.Mount.Access;
import dev.regroup.runtime.ContainerConfig.Privilege;
import dev.regroup.runtime.ContainerConfig.RootFilesystem;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.file.Path;
import java.util.List;

/**
 * The passage that puts a container's root file system together: a small tmpfs with one overlay per
 * directory of the host (see {@code PreparedRoot}), own /dev, /proc, /sys, /tmp and /run.
 *
 * <p>What the pod mounts is opened before the root changes, by paths of the host, and put in place
 * afterwards, by paths of the container: no link in either can lead into the other.
 */
public final class RootTape {

  private static final String TMPFS = "tmpfs";
  private static final String PROC = "/proc";
  private static final List<String> READ_ONLY_PROC =
      List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

  /** Every kernel has this directory; in a container it is empty. */
  private static final String FIRMWARE = "/sys/firmware";

  /** What a container's part of its root is sealed by: these stay open for it. */
  private static final List<String> SEALED = List.of("/tmp", "/run", "/");

  private final ContainerPlan plan;
  private final TapeWriter tape;
  private final String fail;
  private final int firstTreeFd;
  private final MountTape mounts;

  RootTape(ContainerPlan plan, TapeWriter tape, String fail, int firstTreeFd) {
    this.plan = plan;
    this.tape = tape;
    this.fail = fail;
    this.firstTreeFd = firstTreeFd;
    this.mounts = new MountTape(tape, fail);
  }

  void write() {
    tape.attempt(UMASK, n(0));
    openTrees();
    mounts.mount(
        TMPFS, plan.mountPoint().toString(), TMPFS, MS_NOSUID.or(MS_NODEV), "mode=755,size=64m");
    tape.must(fail, CHDIR, text(plan.mountPoint().toString()));
    hostDirectories();
    hide();
    new DevTape(plan, tape, fail).write();
    own();
    tape.must(fail, PIVOT_ROOT, text("."), text("."));
    tape.must(fail, UMOUNT2, text("."), MNT_DETACH); // the old root lies on top
    tape.must(fail, CHDIR, text("/"));
    if (plan.spec().root() == RootFilesystem.READ_ONLY) {
      openSealed(); // as long as no volume lies on top of it
    }
    placeTrees();
    TapeParts.makeDirectories(tape, plan.spec().workingDir());
    if (plan.spec().root() == RootFilesystem.READ_ONLY) {
      seal();
    }
  }

  private boolean privileged() {
    return plan.spec().user().privilege() == Privilege.PRIVILEGED;
  }

  private void openTrees() {
    int fd = firstTreeFd;
    var tree = OPEN_TREE_CLONE.or(OPEN_TREE_CLOEXEC).or(AT_RECURSIVE);
    for (var bind : plan.mounts()) {
      if (bind.subPath().isEmpty()) {
        tape.must(fail, OPEN_TREE, AT_FDCWD, text(bind.source().toString()), tree);
      } else {
        new SubPathTape(bind, tape, fail, fd).open(tree);
      }
      if (bind.access() == Access.READ_ONLY || !privileged()) {
        var attributes = bind.access() == Access.READ_ONLY ? readOnly() : MOUNT_ATTR_NODEV;
        tape.must(
            fail,
            MOUNT_SETATTR,
            n(fd),
            text(""),
            AT_EMPTY_PATH.or(AT_RECURSIVE),
            MountTape.set(attributes),
            n(MountTape.ATTR_BYTES));
      }
      fd++;
    }
  }

  /** A device file on a mount like this cannot be opened; who has all rights may have them all. */
  private Arg.Value readOnly() {
    return privileged() ? MOUNT_ATTR_RDONLY : MOUNT_ATTR_RDONLY.or(MOUNT_ATTR_NODEV);
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
          mounts.setAttributes(name, MOUNT_ATTR_RDONLY.or(MOUNT_ATTR_NODEV));
        }
        case RootEntry.Overlay _, RootEntry.Emptied _ -> {
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
    for (Hidden hidden : plan.hidden()) {
      String name = relative(hidden.path());
      switch (hidden.kind()) {
        case DIRECTORY ->
            mounts.mount(TMPFS, name, TMPFS, MS_RDONLY.or(MS_NOSUID).or(MS_NODEV), "size=4k");
        case FILE -> tape.must(fail, MOUNT, text("/dev/null"), text(name), NULL, MS_BIND, NULL);
      }
    }
  }

  private void own() {
    mounts.directory("proc");
    mounts.directory("sys");
    var system = MS_NOSUID.or(MS_NODEV).or(MS_NOEXEC);
    mounts.mount("sysfs", "sys", "sysfs", privileged() ? system : system.or(MS_RDONLY), null);
    if (!privileged()) {
      maskSystem();
    }
    mounts.directory("run");
    mounts.mount(TMPFS, "run", TMPFS, MS_NOSUID.or(MS_NODEV), "mode=755,size=64m");
    // /tmp can grow: it lies on disk, with the run.
    mounts.directory("tmp");
    mounts.bindWithoutDevices(plan.run().resolve(Layout.TMP).toString(), "tmp");
  }

  private void maskSystem() {
    mounts.mount(TMPFS, relative(FIRMWARE), TMPFS, MS_RDONLY.or(MS_NOSUID).or(MS_NODEV), "size=4k");
    for (Hidden mask : plan.masks()) {
      if (!mask.path().startsWith(PROC)) {
        String path = mask.path().toString();
        tape.must(fail, MOUNT, text(relative(FIRMWARE)), text(relative(path)), NULL, MS_BIND, NULL);
      }
    }
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

  private void openSealed() {
    for (String path : SEALED) {
      tape.must(fail, OPENAT, AT_FDCWD, text(path), O_PATH, n(0));
    }
  }

  /**
   * By descriptor: a path may lead into a volume that lies on top, and volumes stay as they are.
   */
  private void seal() {
    int overlay = ContainerTape.OVERLAY_FD;
    for (RootEntry entry : plan.root()) {
      if (entry.isMade()) {
        sealMount(overlay++);
      }
    }
    int first = firstTreeFd + plan.mounts().size();
    for (int i = 0; i < SEALED.size(); i++) {
      sealMount(first + i);
    }
    tape.attempt(CLOSE_RANGE, n(first), n(first + SEALED.size() - 1L), n(0)); // free again
  }

  private void sealMount(int fd) {
    tape.must(
        fail,
        MOUNT_SETATTR,
        n(fd),
        text(""),
        AT_EMPTY_PATH,
        MountTape.set(MOUNT_ATTR_RDONLY),
        n(MountTape.ATTR_BYTES));
  }

  /**
   * The child's part: only a process inside the new process namespace can mount its /proc, and only
   * one in its control group its view of it.
   */
  static void kernelFiles(ContainerPlan plan, TapeWriter tape, String orElse) {
    var flags = MS_NOSUID.or(MS_NODEV).or(MS_NOEXEC);
    tape.must(orElse, MOUNT, text("proc"), text(PROC), text("proc"), flags, NULL);
    if (plan.spec().user().privilege() == Privilege.PRIVILEGED) {
      return;
    }
    for (String path : READ_ONLY_PROC) { // not every kernel has all of them
      tape.attempt(MOUNT, text(path), text(path), NULL, MS_BIND, NULL);
      tape.attempt(
          MOUNT, NULL, text(path), NULL, MS_REMOUNT.or(MS_BIND).or(MS_RDONLY).or(flags), NULL);
    }
    for (Hidden mask : plan.masks()) {
      if (mask.path().startsWith(PROC)) {
        String nothing =
            switch (mask.kind()) {
              case FILE -> "/dev/null";
              case DIRECTORY -> FIRMWARE;
            };
        tape.must(orElse, MOUNT, text(nothing), text(mask.path().toString()), NULL, MS_BIND, NULL);
      }
    }
    plan.membership()
        .birth()
        .filter(birth -> birth.company() == ContainerPlan.Company.ALONE)
        .ifPresent(_ ->
            tape.attempt(
                MOUNT,
                text("cgroup"),
                text("/sys/fs/cgroup"),
                text("cgroup2"),
                flags.or(MS_RDONLY),
                NULL));
  }

  private static String relative(Path path) {
    return relative(path.toString());
  }

  private static String relative(String path) {
    return path.substring(1);
  }
}
