package dev.regroup.runtime.tape;

import dev.regroup.runtime.linux.Syscall;

/** What answers the calls of a tape that a {@link Player} plays: the real kernel, or a fake one. */
public interface Kernel {

  /**
   * Makes the call. Addresses among the arguments are the player's.
   *
   * @return the result as Linux gives it: negative means minus errno
   */
  long call(Player player, Syscall call, long[] arguments);
}
