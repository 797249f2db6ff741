package dev.regroup.runtime.linux;

import java.util.ArrayList;
import java.util.List;

/**
 * Descriptors taken before something that cannot be taken back, and given back right before others
 * are needed for it: who runs out of descriptors does so before.
 */
public final class SpareFds implements AutoCloseable {

  private final List<Fd> fds = new ArrayList<>();

  private SpareFds() {}

  public static SpareFds take(int count) throws SyscallFailure {
    var spare = new SpareFds();
    try {
      for (int i = 0; i < count; i++) {
        spare.fds.add(Linux.eventFd());
      }
      return spare;
    } catch (SyscallFailure e) {
      spare.close();
      throw e;
    }
  }

  /** Gives them back, once. */
  @Override
  public void close() {
    fds.forEach(Fd::close);
  }
}
