package dev.regroup.cli.doctor;

import dev.regroup.runtime.embedded.Isolation;
import java.util.Objects;
import java.util.Optional;

/**
 * What was found on this machine.
 *
 * @param java feature number of the JVM that runs this
 * @param isolation what containers can be given
 * @param overlay whether the kernel knows overlay file systems, now or after loading a module
 * @param userNamespaces how many may be made; 0 where they are off
 * @param kubectl its version as it tells it, such as {@code v1.32.0}; empty when there is none
 * @param directory where objects and pods are kept
 * @param diskFree bytes a user may still write there
 * @param memoryFree bytes programs may still take
 * @param port the port 'up' takes
 * @param portTaken by another program
 * @param openFiles how many files this process may open
 */
public record MachineFacts(
    int java,
    Isolation isolation,
    boolean overlay,
    long userNamespaces,
    Optional<String> kubectl,
    String directory,
    long diskFree,
    long memoryFree,
    int port,
    boolean portTaken,
    long openFiles) {
  public MachineFacts {
    Objects.requireNonNull(isolation, "isolation");
    Objects.requireNonNull(kubectl, "kubectl");
    Objects.requireNonNull(directory, "directory");
  }
}
