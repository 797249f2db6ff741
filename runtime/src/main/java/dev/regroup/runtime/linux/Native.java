package dev.regroup.runtime.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The method handles: {@code syscall(2)} for everything, and posix_spawn, which is no system call.
 */
@SuppressWarnings("restricted") // calling the kernel is what this class is for
final class Native {

  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup LIBC = LINKER.defaultLookup();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle SYSCALL =
      LINKER.downcallHandle(
          LIBC.find("syscall").orElseThrow(),
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
              JAVA_LONG),
          Linker.Option.firstVariadicArg(1),
          Linker.Option.captureCallState("errno"));

  static final MethodHandle POSIX_SPAWN =
      handle("posix_spawn", ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  static final MethodHandle ACTIONS_INIT = handle("posix_spawn_file_actions_init", ADDRESS);
  static final MethodHandle ACTIONS_DESTROY = handle("posix_spawn_file_actions_destroy", ADDRESS);
  static final MethodHandle ACTIONS_DUP2 =
      handle("posix_spawn_file_actions_adddup2", ADDRESS, JAVA_INT, JAVA_INT);
  static final MethodHandle ATTR_INIT = handle("posix_spawnattr_init", ADDRESS);
  static final MethodHandle ATTR_DESTROY = handle("posix_spawnattr_destroy", ADDRESS);
  static final MethodHandle ATTR_FLAGS =
      handle("posix_spawnattr_setflags", ADDRESS, java.lang.foreign.ValueLayout.JAVA_SHORT);
  static final MethodHandle ATTR_SIGDEFAULT =
      handle("posix_spawnattr_setsigdefault", ADDRESS, ADDRESS);
  static final MethodHandle ATTR_SIGMASK = handle("posix_spawnattr_setsigmask", ADDRESS, ADDRESS);

  private static final Architecture ARCHITECTURE = Architecture.current();

  /** Each thread's place for errno: allocating one per call would cost more than the call. */
  private static final ThreadLocal<MemorySegment> CAPTURE =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

  private Native() {}

  private static MethodHandle handle(String name, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        LIBC.find(name).orElseThrow(), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  /** The result as the kernel gives it: negative means minus errno. */
  static long syscall(Syscall call, long a, long b, long c, long d, long e, long f) {
    MemorySegment capture = CAPTURE.get();
    try {
      long result =
          (long) SYSCALL.invokeExact(capture, (long) call.number(ARCHITECTURE), a, b, c, d, e, f);
      return result == -1 ? -(int) ERRNO.get(capture, 0L) : result;
    } catch (Throwable t) {
      throw new IllegalStateException("downcall of " + call.title(), t);
    }
  }
}
