package dev.regroup.runtime.linux;

import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * Makes an overlay that is mounted nowhere: only its descriptor holds it. Whoever gets the
 * descriptor puts it in place with {@code move_mount}; if nobody does, closing it is the end of it.
 * Needs Linux 5.2.
 */
public final class OverlayMount {

  private static final int CLOEXEC = 1; // of fsopen and of fsmount
  private static final int SET_FLAG = 0;
  private static final int SET_STRING = 1;
  private static final int CREATE = 6;
  private static final int MOUNT_ATTR_NODEV = 4;
  private static final int S_IFCHR = 0020000;

  private OverlayMount() {}

  /**
   * Shows what lies in one directory, with the changes kept in another. Volatile: nothing in it is
   * worth a sync, these directories are never mounted a second time.
   */
  public static Fd open(Path lower, Path upper, Path work) throws SyscallFailure {
    try (var arena = Arena.ofConfined();
        var settings =
            new Fd(
                (int)
                    Linux.call(Syscall.FSOPEN, arena.allocateFrom("overlay").address(), CLOEXEC))) {
      set(arena, settings, "source", "overlay");
      set(arena, settings, "lowerdir", escaped(lower));
      set(arena, settings, "upperdir", escaped(upper));
      set(arena, settings, "workdir", escaped(work));
      config(settings, SET_FLAG, arena.allocateFrom("volatile").address(), 0);
      config(settings, CREATE, 0, 0);
      return new Fd(
          (int) Linux.call(Syscall.FSMOUNT, settings.number(), CLOEXEC, MOUNT_ATTR_NODEV));
    } catch (SyscallFailure e) {
      throw new SyscallFailure("overlay of " + lower, e.errno());
    }
  }

  /** In an upper directory: what the lower one has under this name, now or later, does not show. */
  public static void hide(Path name) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      Linux.call(
          Syscall.MKNODAT,
          Linux.AT_FDCWD,
          arena.allocateFrom(name.toString()).address(),
          S_IFCHR,
          0);
    } catch (SyscallFailure e) {
      throw new SyscallFailure("hiding " + name, e.errno());
    }
  }

  /** The same for what lies in a directory of an upper directory. */
  public static void hideContent(Path directory) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      Linux.call(
          Syscall.SETXATTR,
          arena.allocateFrom(directory.toString()).address(),
          arena.allocateFrom("trusted.overlay.opaque").address(),
          arena.allocateFrom("y").address(),
          1,
          0);
    } catch (SyscallFailure e) {
      throw new SyscallFailure("hiding what lies in " + directory, e.errno());
    }
  }

  private static void set(Arena arena, Fd settings, String key, String value)
      throws SyscallFailure {
    config(
        settings,
        SET_STRING,
        arena.allocateFrom(key).address(),
        arena.allocateFrom(value).address());
  }

  private static void config(Fd settings, int command, long key, long value) throws SyscallFailure {
    Linux.call(Syscall.FSCONFIG, settings.number(), command, key, value, 0);
  }

  /** A colon would begin another directory. */
  private static String escaped(Path path) {
    return path.toString().replace("\\", "\\\\").replace(":", "\\:");
  }
}
