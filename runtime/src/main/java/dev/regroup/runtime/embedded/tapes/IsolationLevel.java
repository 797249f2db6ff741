package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.tape.Constants.CLONE_NEWIPC;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWNET;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWNS;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWPID;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWUTS;

import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.tape.Arg;

/** How far containers are separated from the machine: the namespaces their tapes make and join. */
public enum IsolationLevel {
  /** All namespaces and root file systems of their own; needs root. */
  FULL;

  /** The namespaces of a sandbox that its containers join. */
  Arg.Value ofSandbox(SandboxSpec.Network network, SandboxSpec.Ipc ipc) {
    return switch (this) {
      case FULL -> {
        var own =
            switch (network) {
              case POD -> CLONE_NEWNS.or(CLONE_NEWUTS).or(CLONE_NEWNET);
              case HOST -> CLONE_NEWNS;
            };
        yield switch (ipc) {
          case POD -> own.or(CLONE_NEWIPC);
          case HOST -> own;
        };
      }
    };
  }

  /** Those of a container that a command executed in it joins. */
  Arg.Value ofContainer() {
    return switch (this) {
      case FULL -> CLONE_NEWNS.or(CLONE_NEWPID).or(CLONE_NEWIPC).or(CLONE_NEWUTS).or(CLONE_NEWNET);
    };
  }
}
