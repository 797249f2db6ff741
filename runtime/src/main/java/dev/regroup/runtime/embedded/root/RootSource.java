package dev.regroup.runtime.embedded.root;

import java.io.IOException;

/**
 * Port to what the root file systems of containers are made of: the machine's own directories
 * ({@link HostView}) until there are images.
 */
public interface RootSource {

  /** What they are made of now. */
  RootView look() throws IOException;
}
