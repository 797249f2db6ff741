package dev.regroup.runtime.embedded;

import dev.regroup.runtime.embedded.cgroup.CgroupTree;
import dev.regroup.runtime.embedded.tapes.IsolationLevel;
import dev.regroup.runtime.linux.Architecture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How well containers can be separated on this machine; asked once, printed in one line. */
public sealed interface Isolation {

  /**
   * Possible here.
   *
   * @param level the best there is
   * @param unlimited resources whose limits are off: no control group hierarchy for them that this
   *     program may use
   */
  record Possible(IsolationLevel level, List<String> unlimited) implements Isolation {
    public Possible {
      unlimited = List.copyOf(unlimited);
    }
  }

  /** Not possible here, and what to do about it. */
  record Unavailable(String reason) implements Isolation {}

  static Isolation probe() {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return new Unavailable("containers need Linux (run Regroup in a Linux machine or VM)");
    }
    try {
      Architecture.current();
    } catch (UnsupportedOperationException e) {
      return new Unavailable(String.valueOf(e.getMessage()));
    }
    if (!kernelIsNewEnough(System.getProperty("os.version", ""))) {
      return new Unavailable(
          "containers need Linux 5.12 or newer, this is "
              + System.getProperty("os.version", "unknown"));
    }
    if (!isRoot()) {
      return new Unavailable("containers need root for now (start Regroup with sudo)");
    }
    if (!mayAdministrate()) {
      return new Unavailable(
          "this root may not create namespaces (give the outer container CAP_SYS_ADMIN)");
    }
    var tree = CgroupTree.find();
    var unlimited = new ArrayList<>(CgroupTree.CONTROLLERS);
    unlimited.removeAll(tree.controllers());
    if (!tree.filtersDevices()) {
      unlimited.add(CgroupTree.DEVICES);
    }
    return new Possible(IsolationLevel.FULL, unlimited);
  }

  private static boolean kernelIsNewEnough(String version) {
    String[] parts = version.split("[.-]", 3);
    try {
      int major = Integer.parseInt(parts[0]);
      int minor = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
      return major > 5 || (major == 5 && minor >= 12);
    } catch (NumberFormatException e) {
      return true; // an odd name is no reason to refuse: the first start will tell
    }
  }

  private static boolean isRoot() {
    return status("Uid:").startsWith("0\t0");
  }

  private static boolean mayAdministrate() {
    String effective = status("CapEff:");
    long sysAdmin = 1L << 21;
    return !effective.isEmpty() && (Long.parseUnsignedLong(effective, 16) & sysAdmin) != 0;
  }

  private static String status(String field) {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith(field))
          .map(line -> line.substring(field.length()).strip())
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      return "";
    }
  }
}
