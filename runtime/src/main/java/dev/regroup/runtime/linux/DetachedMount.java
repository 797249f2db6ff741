package dev.regroup.runtime.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A directory as a mount of its own that is mounted nowhere: only its descriptor holds it, as with
 * an {@link OverlayMount}. No device file in it can be opened.
 */
public final class DetachedMount {

  private static final int OPEN_TREE_CLONE = 1;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int MOUNT_ATTR_NODEV = 4;
  private static final int ATTR_BYTES = 32;

  private DetachedMount() {}

  public static Fd of(Path directory) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(ATTR_BYTES, Long.BYTES);
      attributes.set(JAVA_LONG, 0, MOUNT_ATTR_NODEV);
      var tree =
          new Fd(
              (int)
                  Linux.call(
                      Syscall.OPEN_TREE,
                      Linux.AT_FDCWD,
                      arena.allocateFrom(directory.toString()).address(),
                      OPEN_TREE_CLONE | Linux.O_CLOEXEC));
      try {
        Linux.call(
            Syscall.MOUNT_SETATTR,
            tree.number(),
            arena.allocateFrom("").address(),
            AT_EMPTY_PATH,
            attributes.address(),
            ATTR_BYTES);
        return tree;
      } catch (SyscallFailure e) {
        tree.close();
        throw e;
      }
    } catch (SyscallFailure e) {
      throw new SyscallFailure("mount of " + directory, e.errno());
    }
  }
}
