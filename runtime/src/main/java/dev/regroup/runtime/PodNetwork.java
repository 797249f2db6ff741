package dev.regroup.runtime;

import java.net.InetAddress;

/**
 * Port to the network between pods. Implemented by {@code dev.regroup.runtime.fabric}; calls may
 * come from any platform thread, for different pods side by side.
 */
public interface PodNetwork {

  /** The process that holds the pod's namespaces; the descriptor stays the caller's. */
  record SandboxProcess(int pid, int pidfd) {}

  /**
   * Connects the sandbox's network namespace and returns the pod's address. Attaching again returns
   * the same address and repairs what is missing, so it may follow any crash.
   */
  InetAddress attach(PodUid pod, SandboxProcess sandbox) throws RuntimeFailure;

  /** Gives the address back. Idempotent; the links die with the sandbox anyway. */
  void detach(PodUid pod) throws RuntimeFailure;
}
