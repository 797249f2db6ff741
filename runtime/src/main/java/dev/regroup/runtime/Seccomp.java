package dev.regroup.runtime;

import dev.regroup.runtime.seccomp.Filter;

/** Which system calls a container's processes may make, commands executed in it included. */
public sealed interface Seccomp {

  Seccomp UNCONFINED = new Unconfined();
  Seccomp RUNTIME_DEFAULT = new RuntimeDefault();

  /** All; what a container gets if its pod says nothing. */
  record Unconfined() implements Seccomp {}

  /** What ordinary programs need, and what the container's capabilities open. */
  record RuntimeDefault() implements Seccomp {}

  /** What a profile of the node's owner says. */
  record Localhost(Filter filter) implements Seccomp {}
}
