package dev.regroup.runtime.embedded.root;

import dev.regroup.runtime.embedded.tapes.Hidden;
import dev.regroup.runtime.embedded.tapes.RootEntry;
import java.io.IOException;
import java.util.List;

/** What a root file system is made of, at one moment. */
public interface RootView {

  /** The parts, a directory always before what lies in it. */
  List<RootEntry> entries();

  /** What must not show of this entry: its overlay takes care of it. */
  List<Hidden> hiddenIn(RootEntry.Overlay overlay);

  /** What must not show, lies where no overlay is and has to be covered by a mount. */
  List<Hidden> uncovered();

  /** What of the kernel's own files must not show. */
  List<Hidden> masks();

  /** Whether a look now would see the same; a lot cheaper than looking. */
  boolean isCurrent() throws IOException;
}
