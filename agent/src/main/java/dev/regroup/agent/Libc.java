package dev.regroup.agent;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the JDK cannot do for a parent of processes: a child in a session of its own, signals to a
 * whole group, collecting children one did not start. The first use costs some tens of
 * milliseconds.
 */
@SuppressWarnings("restricted") // calling the C library is what this class is for
final class Libc {

  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup LOOKUP = LINKER.defaultLookup();

  private static final MethodHandle WAITPID = handle("waitpid", JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle KILL = handle("kill", JAVA_INT, JAVA_INT);
  private static final MethodHandle PRCTL =
      LINKER.downcallHandle(
          LOOKUP.find("prctl").orElseThrow(),
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG),
          Linker.Option.firstVariadicArg(1));
  private static final MethodHandle SPAWN =
      handle("posix_spawn", ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  private static final MethodHandle ACTIONS_INIT = handle("posix_spawn_file_actions_init", ADDRESS);
  private static final MethodHandle ATTR_INIT = handle("posix_spawnattr_init", ADDRESS);
  private static final MethodHandle ATTR_FLAGS =
      handle("posix_spawnattr_setflags", ADDRESS, JAVA_SHORT);
  private static final MethodHandle ATTR_DEFAULTS =
      handle("posix_spawnattr_setsigdefault", ADDRESS, ADDRESS);
  private static final MethodHandle ATTR_MASK =
      handle("posix_spawnattr_setsigmask", ADDRESS, ADDRESS);

  private static final String CLOSE_FROM = "posix_spawn_file_actions_addclosefrom_np";
  private static final short FLAGS = 0x04 | 0x08 | 0x80; // SETSIGDEF, SETSIGMASK, SETSID
  private static final int SET_CHILD_SUBREAPER = 36;
  private static final int STRUCT_BYTES = 512; // more than either structure needs
  private static final int SIGSET_BYTES = 128;

  private Libc() {}

  private static MethodHandle handle(String name, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        LOOKUP.find(name).orElseThrow(), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  /** How a child ended: its id and the status as wait(2) has it. */
  record Ended(int pid, int status) {

    /** What a shell would say: the exit code, or 128 and the signal that killed it. */
    int code() {
      int signal = status & 0x7f;
      return signal == 0 ? (status >> 8) & 0xff : 128 + signal;
    }
  }

  /** Waits for any child to end; its id is negative when there is none at all. */
  static Ended waitForAny() {
    try (var arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(JAVA_INT);
      int pid = (int) WAITPID.invokeExact(-1, status, 0);
      return new Ended(pid, status.get(JAVA_INT, 0));
    } catch (Throwable t) {
      throw new IllegalStateException("waitpid", t);
    }
  }

  /** Sends a signal; one that no longer finds anybody is lost. */
  static void kill(int pid, int signal) {
    try {
      int ignored = (int) KILL.invokeExact(pid, signal);
    } catch (Throwable t) {
      throw new IllegalStateException("kill", t);
    }
  }

  /** Whoever below this process loses its parent becomes its child, as with process 1. */
  static void adoptOrphans() {
    try {
      int ignored = (int) PRCTL.invokeExact(SET_CHILD_SUBREAPER, 1L);
    } catch (Throwable t) {
      throw new IllegalStateException("prctl", t);
    }
  }

  /**
   * Starts a program as the first of a session and process group of its own, with default signals
   * and no other descriptors than the first three. The environment is this process's, byte for
   * byte, but for what is given.
   *
   * @param variables added to the environment, in place of those of the same name
   * @return the process id
   */
  static int spawn(String program, List<byte[]> arguments, Map<String, String> variables)
      throws IOException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment actions = arena.allocate(STRUCT_BYTES, 16);
      MemorySegment attributes = arena.allocate(STRUCT_BYTES, 16);
      int ignored = (int) ACTIONS_INIT.invokeExact(actions);
      ignored = (int) ATTR_INIT.invokeExact(attributes);
      var closeFrom = LOOKUP.find(CLOSE_FROM);
      if (closeFrom.isPresent()) { // glibc 2.34; the JDK opens most of its files close-on-exec
        MethodHandle close =
            LINKER.downcallHandle(
                closeFrom.get(), FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
        ignored = (int) close.invokeExact(actions, 3);
      }
      MemorySegment all = arena.allocate(SIGSET_BYTES, 8);
      all.fill((byte) 0xff);
      ignored = (int) ATTR_DEFAULTS.invokeExact(attributes, all);
      ignored = (int) ATTR_MASK.invokeExact(attributes, arena.allocate(SIGSET_BYTES, 8));
      ignored = (int) ATTR_FLAGS.invokeExact(attributes, FLAGS);
      MemorySegment pid = arena.allocate(JAVA_INT);
      int error =
          (int)
              SPAWN.invokeExact(
                  pid,
                  arena.allocateFrom(program),
                  actions,
                  attributes,
                  pointers(arena, arguments),
                  pointers(arena, environment(variables)));
      if (error != 0) {
        throw new IOException("cannot start " + program + ": error " + error);
      }
      return pid.get(JAVA_INT, 0);
    } catch (IOException e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException("posix_spawn", t);
    }
  }

  /** The value of a variable of this process as it is; empty when it is not set. */
  static byte[] variable(String name) {
    byte[] wanted = (name + "=").getBytes(StandardCharsets.UTF_8);
    for (byte[] entry : environ()) {
      if (startsWith(entry, wanted)) {
        byte[] value = new byte[entry.length - wanted.length];
        System.arraycopy(entry, wanted.length, value, 0, value.length);
        return value;
      }
    }
    return new byte[0];
  }

  private static List<byte[]> environment(Map<String, String> with) {
    var left = new ArrayList<byte[]>();
    for (byte[] entry : environ()) {
      boolean replaced = false;
      for (String name : with.keySet()) {
        replaced |= startsWith(entry, (name + "=").getBytes(StandardCharsets.UTF_8));
      }
      if (!replaced) {
        left.add(entry);
      }
    }
    for (var variable : with.entrySet()) {
      left.add((variable.getKey() + "=" + variable.getValue()).getBytes(StandardCharsets.UTF_8));
    }
    return left;
  }

  private static boolean startsWith(byte[] text, byte[] beginning) {
    if (text.length < beginning.length) {
      return false;
    }
    for (int i = 0; i < beginning.length; i++) {
      if (text[i] != beginning[i]) {
        return false;
      }
    }
    return true;
  }

  /** Every entry of the environment as bytes: Java's view of it depends on the locale. */
  private static List<byte[]> environ() {
    MemorySegment start =
        LOOKUP
            .find("environ")
            .orElseThrow()
            .reinterpret(ADDRESS.byteSize())
            .get(ADDRESS, 0)
            .reinterpret(Long.MAX_VALUE);
    var entries = new ArrayList<byte[]>();
    for (long i = 0; true; i++) {
      MemorySegment entry = start.getAtIndex(ADDRESS, i);
      if (entry.address() == 0) {
        return entries;
      }
      MemorySegment text = entry.reinterpret(Long.MAX_VALUE);
      long length = 0;
      while (text.get(JAVA_BYTE, length) != 0) {
        length++;
      }
      entries.add(text.asSlice(0, length).toArray(JAVA_BYTE));
    }
  }

  private static MemorySegment pointers(Arena arena, List<byte[]> texts) {
    MemorySegment array = arena.allocate(ADDRESS, texts.size() + 1L); // zeroed: ends with NULL
    for (int i = 0; i < texts.size(); i++) {
      byte[] text = texts.get(i);
      MemorySegment copy = arena.allocate(text.length + 1L);
      MemorySegment.copy(text, 0, copy, JAVA_BYTE, 0, text.length);
      array.setAtIndex(ADDRESS, i, copy);
    }
    return array;
  }
}
