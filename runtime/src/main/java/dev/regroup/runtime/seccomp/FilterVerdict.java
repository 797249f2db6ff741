package dev.regroup.runtime.seccomp;

import dev.regroup.runtime.linux.Errno;

/** What the kernel does with a call: the value a filter returns. */
public record FilterVerdict(int value) {

  public static final FilterVerdict ALLOW = new FilterVerdict(0x7fff_0000);
  public static final FilterVerdict LOG = new FilterVerdict(0x7ffc_0000);
  public static final FilterVerdict KILL_PROCESS = new FilterVerdict(0x8000_0000);
  public static final FilterVerdict KILL_THREAD = new FilterVerdict(0);
  public static final FilterVerdict TRAP = new FilterVerdict(0x0003_0000);

  /** As if the kernel did not have the call: programs have another way then. */
  static final FilterVerdict UNKNOWN_CALL = error(Errno.ENOSYS);

  private static final int ERROR = 0x0005_0000;
  private static final int MOST_ERRNO = 4095;

  /** The call is not made and fails with this error number. */
  public static FilterVerdict error(int errno) {
    if (errno < 0 || errno > MOST_ERRNO) {
      throw new IllegalArgumentException("errno: must be 0 to 4095, got " + errno);
    }
    return new FilterVerdict(ERROR | errno);
  }

  boolean isError() {
    return (value & 0xffff_0000) == ERROR;
  }
}
