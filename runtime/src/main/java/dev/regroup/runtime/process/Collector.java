package dev.regroup.runtime.process;

import dev.regroup.runtime.linux.SyscallFailure;

/** Waits for children to end and collects them: a process nobody waits for stays as a zombie. */
@FunctionalInterface
public interface Collector {

  /** From now on {@link Child#collect} is called when this one has ended. Never waits. */
  void watch(Child child) throws SyscallFailure;
}
