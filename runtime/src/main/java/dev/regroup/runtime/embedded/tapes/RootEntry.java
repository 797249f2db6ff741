package dev.regroup.runtime.embedded.tapes;

import java.nio.file.Path;

/** How one path of the host shows up in a container's root file system. */
public sealed interface RootEntry {

  Path path();

  /** Whether its mount is made before the tape is played. */
  default boolean isMade() {
    return switch (this) {
      case Overlay _, Emptied _ -> true;
      case ReadOnly _, Empty _, Link _ -> false;
    };
  }

  /** The host's content, writes go to a directory of the run. */
  record Overlay(Path path) implements RootEntry {}

  /** The host's content, not writable: an overlay was not possible here. */
  record ReadOnly(Path path) implements RootEntry {}

  /** An empty directory instead of the host's, on disk, with the run. */
  record Emptied(Path path) implements RootEntry {}

  /** An empty directory, as on the host: no mount needed. */
  record Empty(Path path) implements RootEntry {}

  /** A symbolic link like the host's. */
  record Link(Path path, String target) implements RootEntry {}
}
