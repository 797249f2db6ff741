package dev.regroup.runtime.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts a program with {@code posix_spawn}: no copy of this program's memory, default signal
 * dispositions, nothing blocked (a {@code nohup} or the Java runtime would hand theirs down). The
 * caller owns the child and must collect it.
 */
public final class Spawn {

  private static final short SETSIGDEF = 0x04;
  private static final short SETSIGMASK = 0x08;
  private static final int SIGSET_BYTES = 128;
  private static final int STRUCT_BYTES = 512; // more than either library structure needs

  private Spawn() {}

  /**
   * Starts it.
   *
   * @param fds descriptors for the child: its number → ours. Others that are not close-on-exec are
   *     inherited; a tape closes them first
   * @return the process id
   */
  public static int start(
      Path program, List<String> argv, List<String> env, Map<Integer, Integer> fds)
      throws SyscallFailure {
    int highest = fds.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
    var lifted = new ArrayList<Fd>();
    try (var arena = Arena.ofConfined()) {
      MemorySegment actions = arena.allocate(STRUCT_BYTES, 16);
      MemorySegment attributes = arena.allocate(STRUCT_BYTES, 16);
      check("posix_spawn_file_actions_init", (int) Native.ACTIONS_INIT.invokeExact(actions));
      check("posix_spawnattr_init", (int) Native.ATTR_INIT.invokeExact(attributes));
      try {
        for (var entry : fds.entrySet()) {
          int ours = entry.getValue();
          if (ours <= highest) { // else copying another one could overwrite it first
            lifted.add(Linux.duplicateAbove(ours, highest));
            ours = lifted.getLast().number();
          }
          int theirs = entry.getKey();
          check(
              "posix_spawn_file_actions_adddup2",
              (int) Native.ACTIONS_DUP2.invokeExact(actions, ours, theirs));
        }
        MemorySegment all = arena.allocate(SIGSET_BYTES, 8);
        all.fill((byte) 0xff);
        MemorySegment none = arena.allocate(SIGSET_BYTES, 8);
        check("sigdefault", (int) Native.ATTR_SIGDEFAULT.invokeExact(attributes, all));
        check("sigmask", (int) Native.ATTR_SIGMASK.invokeExact(attributes, none));
        check(
            "flags",
            (int) Native.ATTR_FLAGS.invokeExact(attributes, (short) (SETSIGDEF | SETSIGMASK)));
        MemorySegment pid = arena.allocate(JAVA_INT);
        int error =
            (int)
                Native.POSIX_SPAWN.invokeExact(
                    pid,
                    arena.allocateFrom(program.toString()),
                    actions,
                    attributes,
                    strings(arena, argv),
                    strings(arena, env));
        check("posix_spawn(" + program + ")", error);
        return pid.get(JAVA_INT, 0);
      } finally {
        int ignored = (int) Native.ACTIONS_DESTROY.invokeExact(actions);
        ignored = (int) Native.ATTR_DESTROY.invokeExact(attributes);
      }
    } catch (SyscallFailure e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException("downcall of posix_spawn", t);
    } finally {
      lifted.forEach(Fd::close);
    }
  }

  private static MemorySegment strings(Arena arena, List<String> values) {
    MemorySegment array = arena.allocate(ADDRESS, values.size() + 1L); // zeroed: ends with NULL
    for (int i = 0; i < values.size(); i++) {
      array.setAtIndex(ADDRESS, i, arena.allocateFrom(values.get(i)));
    }
    return array;
  }

  private static void check(String call, int error) throws SyscallFailure {
    if (error != 0) {
      throw new SyscallFailure(call, error);
    }
  }
}
