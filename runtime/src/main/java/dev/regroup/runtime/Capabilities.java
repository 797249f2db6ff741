package dev.regroup.runtime;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Linux capabilities by name; a name's position in the list is its number. */
public final class Capabilities {

  private static final List<String> NAMES =
      List.of(
          "CHOWN",
          "DAC_OVERRIDE",
          "DAC_READ_SEARCH",
          "FOWNER",
          "FSETID",
          "KILL",
          "SETGID",
          "SETUID",
          "SETPCAP",
          "LINUX_IMMUTABLE",
          "NET_BIND_SERVICE",
          "NET_BROADCAST",
          "NET_ADMIN",
          "NET_RAW",
          "IPC_LOCK",
          "IPC_OWNER",
          "SYS_MODULE",
          "SYS_RAWIO",
          "SYS_CHROOT",
          "SYS_PTRACE",
          "SYS_PACCT",
          "SYS_ADMIN",
          "SYS_BOOT",
          "SYS_NICE",
          "SYS_RESOURCE",
          "SYS_TIME",
          "SYS_TTY_CONFIG",
          "MKNOD",
          "LEASE",
          "AUDIT_WRITE",
          "AUDIT_CONTROL",
          "SETFCAP",
          "MAC_OVERRIDE",
          "MAC_ADMIN",
          "SYSLOG",
          "WAKE_ALARM",
          "BLOCK_SUSPEND",
          "AUDIT_READ",
          "PERFMON",
          "BPF",
          "CHECKPOINT_RESTORE");

  /** How many the newest kernel known here has; older kernels have fewer. */
  public static final int COUNT = NAMES.size();

  /** Every capability. */
  public static final Set<Integer> ALL =
      IntStream.range(0, COUNT).boxed().collect(Collectors.toUnmodifiableSet());

  /** What a container gets if its pod says nothing, the same as with containerd. */
  public static final Set<Integer> DEFAULT =
      Stream.of(
              "CHOWN",
              "DAC_OVERRIDE",
              "FSETID",
              "FOWNER",
              "MKNOD",
              "NET_RAW",
              "SETGID",
              "SETUID",
              "SETFCAP",
              "SETPCAP",
              "NET_BIND_SERVICE",
              "SYS_CHROOT",
              "KILL",
              "AUDIT_WRITE")
          .map(NAMES::indexOf)
          .collect(Collectors.toUnmodifiableSet());

  private Capabilities() {}

  /** Number of a capability as pods spell it ({@code NET_ADMIN}, {@code CAP_NET_ADMIN}). */
  public static OptionalInt number(String name) {
    int number = NAMES.indexOf(name.startsWith("CAP_") ? name.substring(4) : name);
    return number < 0 ? OptionalInt.empty() : OptionalInt.of(number);
  }

  /** Its name as pods spell it, without {@code CAP_}. */
  public static String name(int number) {
    return NAMES.get(number);
  }
}
