package dev.regroup.runtime;

import java.net.InetAddress;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod's sandbox as it is now.
 *
 * @param pid the process that holds the namespaces, 0 if it is gone
 * @param address the pod's address; absent on the host's network or without a pod network
 */
public record SandboxRecord(
    PodUid pod,
    String namespace,
    String name,
    SandboxSpec.Network network,
    State state,
    int pid,
    Optional<InetAddress> address,
    Instant createdAt) {

  public enum State {
    /** Alive and attached: containers can start. */
    READY,
    /** Gone, or never finished; {@code startSandbox} makes it ready again (SEQ-25). */
    NOT_READY
  }
}
