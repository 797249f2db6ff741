package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.FCHOWNAT;
import static dev.regroup.runtime.linux.Syscall.MKDIRAT;
import static dev.regroup.runtime.linux.Syscall.MKNODAT;
import static dev.regroup.runtime.linux.Syscall.SYMLINKAT;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.MOUNT_ATTR_NODEV;
import static dev.regroup.runtime.tape.Constants.MS_NODEV;
import static dev.regroup.runtime.tape.Constants.MS_NOEXEC;
import static dev.regroup.runtime.tape.Constants.MS_NOSUID;
import static dev.regroup.runtime.tape.Constants.S_IFBLK;
import static dev.regroup.runtime.tape.Constants.S_IFCHR;

import dev.regroup.runtime.ContainerConfig.Privilege;
import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.TapeWriter;

/**
 * The passage that makes a container's /dev.
 *
 * <p>A container may make device files where it may write, but open none: all it can write to is
 * mounted without devices, /dev as well. The few it has are mounts of their own, each of itself. A
 * privileged container has those of the host and may make more.
 */
final class DevTape {

  private final ContainerPlan plan;
  private final TapeWriter tape;
  private final String fail;
  private final MountTape mounts;

  DevTape(ContainerPlan plan, TapeWriter tape, String fail) {
    this.plan = plan;
    this.tape = tape;
    this.fail = fail;
    this.mounts = new MountTape(tape, fail);
  }

  void write() {
    mounts.directory("dev");
    mounts.mount("tmpfs", "dev", "tmpfs", MS_NOSUID, "mode=755,size=64k");
    for (Device device : plan.devices()) {
      make(device);
    }
    if (plan.spec().user().privilege() == Privilege.ORDINARY) {
      for (Device device : plan.devices()) {
        mounts.bind("dev/" + device.name(), "dev/" + device.name());
      }
      mounts.setAttributes("dev", MOUNT_ATTR_NODEV);
    }
    standardLinks();
    mounts.directory("dev/pts");
    mounts.mount(
        "devpts",
        "dev/pts",
        "devpts",
        MS_NOSUID.or(MS_NOEXEC),
        "newinstance,ptmxmode=0666,mode=0620,gid=5");
    mounts.directory("dev/mqueue");
    mounts.mount("mqueue", "dev/mqueue", "mqueue", MS_NOSUID.or(MS_NODEV).or(MS_NOEXEC), null);
    mounts.directory("dev/shm"); // the pod's containers share it
    mounts.bindWithoutDevices(plan.shm().toString(), "dev/shm");
  }

  private void make(Device device) {
    for (int slash = device.name().indexOf('/');
        slash > 0;
        slash = device.name().indexOf('/', slash + 1)) {
      tape.attempt(
          MKDIRAT, AT_FDCWD, text("dev/" + device.name().substring(0, slash)), octal(0755));
    }
    var kind =
        switch (device.type()) {
          case CHARACTER -> S_IFCHR;
          case BLOCK -> S_IFBLK;
        };
    var file = text("dev/" + device.name());
    tape.must(
        fail,
        MKNODAT,
        AT_FDCWD,
        file,
        kind.or(octal(device.mode())),
        Arg.flag("makedev(%d, %d)".formatted(device.major(), device.minor()), device.number()));
    if (device.uid() != 0 || device.gid() != 0) {
      tape.attempt(FCHOWNAT, AT_FDCWD, file, n(device.uid()), n(device.gid()), n(0));
    }
  }

  private void standardLinks() {
    link("/proc/self/fd", "dev/fd");
    link("/proc/self/fd/0", "dev/stdin");
    link("/proc/self/fd/1", "dev/stdout");
    link("/proc/self/fd/2", "dev/stderr");
    link("pts/ptmx", "dev/ptmx");
  }

  private void link(String target, String name) {
    tape.must(fail, SYMLINKAT, text(target), AT_FDCWD, text(name));
  }
}
