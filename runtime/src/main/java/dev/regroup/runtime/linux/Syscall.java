package dev.regroup.runtime.linux;

import java.util.HashMap;
import java.util.Map;

/**
 * System calls by name, with their numbers on both architectures. Only calls that exist on both are
 * here: arm64 has no {@code open}, {@code mkdir}, {@code pause} and the like, their {@code *at}
 * forms do. From 424 on the numbers are the same everywhere.
 */
public enum Syscall {
  READ(0, 63),
  WRITE(1, 64),
  CLOSE(3, 57),
  LSEEK(8, 62),
  MMAP(9, 222),
  RT_SIGACTION(13, 134),
  IOCTL(16, 29),
  PWRITE64(18, 68),
  DUP(32, 23),
  GETPID(39, 172),
  SOCKET(41, 198),
  CONNECT(42, 203),
  SENDTO(44, 206),
  BIND(49, 200),
  SOCKETPAIR(53, 199),
  SETSOCKOPT(54, 208),
  CLONE(56, 220),
  EXECVE(59, 221),
  WAIT4(61, 260),
  KILL(62, 129),
  FCNTL(72, 25),
  FLOCK(73, 32),
  CHDIR(80, 49),
  UMASK(95, 166),
  SETSID(112, 157),
  SETGROUPS(116, 159),
  SETRESUID(117, 147),
  SETRESGID(119, 149),
  PIVOT_ROOT(155, 41),
  SETXATTR(188, 5),
  PRCTL(157, 167),
  MOUNT(165, 40),
  UMOUNT2(166, 39),
  SETHOSTNAME(170, 161),
  CLOCK_GETTIME(228, 113),
  EXIT_GROUP(231, 94),
  KEYCTL(250, 219),
  INOTIFY_ADD_WATCH(254, 27),
  INOTIFY_RM_WATCH(255, 28),
  OPENAT(257, 56),
  MKDIRAT(258, 34),
  MKNODAT(259, 33),
  FCHOWNAT(260, 54),
  UNLINKAT(263, 35),
  SYMLINKAT(266, 36),
  PPOLL(271, 73),
  UNSHARE(272, 97),
  BPF(321, 280),
  EPOLL_CTL(233, 21),
  EPOLL_PWAIT(281, 22),
  SPLICE(275, 76),
  FALLOCATE(285, 47),
  EVENTFD2(290, 19),
  EPOLL_CREATE1(291, 20),
  DUP3(292, 24),
  PIPE2(293, 59),
  INOTIFY_INIT1(294, 26),
  WAITID(247, 95),
  PRLIMIT64(302, 261),
  SETNS(308, 268),
  RENAMEAT2(316, 276),
  SECCOMP(317, 277),
  MEMFD_CREATE(319, 279),
  PIDFD_SEND_SIGNAL(424, 424),
  OPEN_TREE(428, 428),
  MOVE_MOUNT(429, 429),
  FSOPEN(430, 430),
  FSCONFIG(431, 431),
  FSMOUNT(432, 432),
  PIDFD_OPEN(434, 434),
  CLONE3(435, 435),
  CLOSE_RANGE(436, 436),
  OPENAT2(437, 437),
  PIDFD_GETFD(438, 438),
  MOUNT_SETATTR(442, 442);

  private static final Map<Integer, Syscall> BY_X86 = by(Architecture.X86_64);
  private static final Map<Integer, Syscall> BY_ARM = by(Architecture.ARM64);

  private final int x86;
  private final int arm;

  Syscall(int x86, int arm) {
    this.x86 = x86;
    this.arm = arm;
  }

  public int number(Architecture architecture) {
    return switch (architecture) {
      case X86_64 -> x86;
      case ARM64 -> arm;
    };
  }

  /** The call with this number; only those above are known. */
  public static Syscall numbered(int number, Architecture architecture) {
    var known =
        switch (architecture) {
          case X86_64 -> BY_X86;
          case ARM64 -> BY_ARM;
        };
    var call = known.get(number);
    if (call == null) {
      throw new IllegalArgumentException("no such call: " + number);
    }
    return call;
  }

  private static Map<Integer, Syscall> by(Architecture architecture) {
    var calls = new HashMap<Integer, Syscall>();
    for (Syscall call : values()) {
      calls.put(call.number(architecture), call);
    }
    return Map.copyOf(calls);
  }

  /** The name as manual pages and strace write it. */
  public String title() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
