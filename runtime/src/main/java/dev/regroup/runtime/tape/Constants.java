package dev.regroup.runtime.tape;

import static dev.regroup.runtime.tape.Arg.flag;

import dev.regroup.runtime.tape.Arg.Value;

/** Numbers of the kernel's interface that tapes use, under the names they are printed with. */
public final class Constants {

  public static final Value AT_FDCWD = flag("AT_FDCWD", -100);
  public static final Value AT_EMPTY_PATH = flag("AT_EMPTY_PATH", 0x1000);
  public static final Value AT_RECURSIVE = flag("AT_RECURSIVE", 0x8000);

  public static final Value O_RDONLY = flag("O_RDONLY", 0);
  public static final Value O_WRONLY = flag("O_WRONLY", 01);
  public static final Value O_RDWR = flag("O_RDWR", 02);
  public static final Value O_CREAT = flag("O_CREAT", 0100);
  public static final Value O_NOCTTY = flag("O_NOCTTY", 0400);
  public static final Value O_APPEND = flag("O_APPEND", 02000);
  public static final Value O_NONBLOCK = flag("O_NONBLOCK", 04000);
  public static final Value O_CLOEXEC = flag("O_CLOEXEC", 02000000);

  public static final Value O_PATH = flag("O_PATH", 010000000);

  public static final Value RESOLVE_NO_MAGICLINKS = flag("RESOLVE_NO_MAGICLINKS", 2);
  public static final Value RESOLVE_BENEATH = flag("RESOLVE_BENEATH", 8);

  public static final Value CLONE_PIDFD = flag("CLONE_PIDFD", 0x00001000);
  public static final Value CLONE_NEWNS = flag("CLONE_NEWNS", 0x00020000);
  public static final Value CLONE_NEWCGROUP = flag("CLONE_NEWCGROUP", 0x02000000);
  public static final Value CLONE_NEWUTS = flag("CLONE_NEWUTS", 0x04000000);
  public static final Value CLONE_NEWIPC = flag("CLONE_NEWIPC", 0x08000000);
  public static final Value CLONE_NEWPID = flag("CLONE_NEWPID", 0x20000000);
  public static final Value CLONE_NEWNET = flag("CLONE_NEWNET", 0x40000000);

  public static final Value MS_RDONLY = flag("MS_RDONLY", 1);
  public static final Value MS_NOSUID = flag("MS_NOSUID", 2);
  public static final Value MS_NODEV = flag("MS_NODEV", 4);
  public static final Value MS_NOEXEC = flag("MS_NOEXEC", 8);
  public static final Value MS_REMOUNT = flag("MS_REMOUNT", 32);
  public static final Value MS_BIND = flag("MS_BIND", 4096);
  public static final Value MS_REC = flag("MS_REC", 16384);
  public static final Value MS_SLAVE = flag("MS_SLAVE", 1 << 19);
  public static final Value MNT_DETACH = flag("MNT_DETACH", 2);

  public static final Value OPEN_TREE_CLONE = flag("OPEN_TREE_CLONE", 1);
  public static final Value OPEN_TREE_CLOEXEC = flag("OPEN_TREE_CLOEXEC", 02000000);
  public static final Value MOVE_MOUNT_F_EMPTY_PATH = flag("MOVE_MOUNT_F_EMPTY_PATH", 4);
  public static final Value MOVE_MOUNT_T_SYMLINKS = flag("MOVE_MOUNT_T_SYMLINKS", 0x10);

  public static final Value MOUNT_ATTR_RDONLY = flag("MOUNT_ATTR_RDONLY", 1);
  public static final Value MOUNT_ATTR_NODEV = flag("MOUNT_ATTR_NODEV", 4);

  public static final Value CLOSE_RANGE_CLOEXEC = flag("CLOSE_RANGE_CLOEXEC", 4);
  public static final Value LAST_FD = flag("~0U", 0xffff_ffffL);
  public static final Value SIGCHLD = flag("SIGCHLD", 17);
  public static final Value SIGKILL = flag("SIGKILL", 9);
  public static final Value MSG_NOSIGNAL = flag("MSG_NOSIGNAL", 0x4000);
  public static final Value CLOCK_REALTIME = flag("CLOCK_REALTIME", 0);
  public static final Value AF_INET = flag("AF_INET", 2);
  public static final Value SOCK_DGRAM = flag("SOCK_DGRAM", 2);
  public static final Value SIOCSIFFLAGS = flag("SIOCSIFFLAGS", 0x8914);

  public static final Value TIOCSCTTY = flag("TIOCSCTTY", 0x540E);
  public static final Value TIOCSPTLCK = flag("TIOCSPTLCK", 0x40045431);
  public static final Value TIOCGPTPEER = flag("TIOCGPTPEER", 0x5441);

  public static final Value S_IFREG = flag("S_IFREG", 0100000);
  public static final Value S_IFIFO = flag("S_IFIFO", 0010000);
  public static final Value S_IFCHR = flag("S_IFCHR", 0020000);
  public static final Value S_IFBLK = flag("S_IFBLK", 0060000);

  public static final Value PROT_READ = flag("PROT_READ", 1);
  public static final Value PROT_WRITE = flag("PROT_WRITE", 2);
  public static final Value MAP_PRIVATE = flag("MAP_PRIVATE", 2);
  public static final Value MAP_FIXED = flag("MAP_FIXED", 0x10);
  public static final Value MAP_NORESERVE = flag("MAP_NORESERVE", 0x4000);

  public static final Value F_SETFL = flag("F_SETFL", 4);
  public static final Value SPLICE_F_MOVE = flag("SPLICE_F_MOVE", 1);
  public static final Value SPLICE_F_NONBLOCK = flag("SPLICE_F_NONBLOCK", 2);

  public static final Value RLIMIT_NOFILE = flag("RLIMIT_NOFILE", 7);

  public static final Value KEYCTL_JOIN_SESSION_KEYRING = flag("KEYCTL_JOIN_SESSION_KEYRING", 1);

  public static final Value PR_SET_PDEATHSIG = flag("PR_SET_PDEATHSIG", 1);
  public static final Value PR_SET_KEEPCAPS = flag("PR_SET_KEEPCAPS", 8);
  public static final Value PR_CAPBSET_DROP = flag("PR_CAPBSET_DROP", 24);
  public static final Value PR_SET_NO_NEW_PRIVS = flag("PR_SET_NO_NEW_PRIVS", 38);

  public static final Value SECCOMP_SET_MODE_FILTER = flag("SECCOMP_SET_MODE_FILTER", 1);

  private Constants() {}
}
