package dev.regroup.node.volume;

import java.nio.file.Path;
import java.util.OptionalLong;

/** A volume that is ready to be mounted. */
public sealed interface Prepared {

  /** A directory or file of the host; {@code readOnly} whatever the mount says (configuration). */
  record OnDisk(Path path, boolean readOnly) implements Prepared {}

  /** A tmpfs that lives in the pod's sandbox and dies with it. */
  record InMemory(String name, OptionalLong sizeLimit, Ownership ownership) implements Prepared {}

  /** Permission bits and group of a volume's root. */
  record Ownership(int mode, int gid) {}
}
