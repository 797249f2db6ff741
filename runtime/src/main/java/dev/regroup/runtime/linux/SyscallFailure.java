package dev.regroup.runtime.linux;

import java.io.IOException;

/** A system call refused; says which one and why. */
public final class SyscallFailure extends IOException {

  private final String call;
  private final int errno;

  public SyscallFailure(String call, int errno) {
    super(call + ": " + Errno.text(errno));
    this.call = call;
    this.errno = errno;
  }

  /** The call as it was made, for example {@code pidfd_open(4711)}. */
  public String call() {
    return call;
  }

  public int errno() {
    return errno;
  }
}
