package dev.regroup.node;

import dev.regroup.node.report.NodeObject;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the machine says about itself. */
final class HostFacts {

  private static final long KIB = 1024;

  private HostFacts() {}

  static NodeObject.Machine machine() {
    var arch =
        switch (System.getProperty("os.arch")) {
          case "amd64", "x86_64" -> "amd64";
          case "aarch64" -> "arm64";
          default -> System.getProperty("os.arch");
        };
    return new NodeObject.Machine(
        arch,
        System.getProperty("os.version"),
        osImage(),
        first(Path.of("/etc/machine-id")),
        first(Path.of("/proc/sys/kernel/random/boot_id")));
  }

  /** Bytes of memory of this machine. */
  static long memory() {
    try {
      for (var line : Files.readAllLines(Path.of("/proc/meminfo"))) {
        if (line.startsWith("MemTotal:")) {
          return Long.parseLong(line.replaceAll("[^0-9]", "")) * KIB;
        }
      }
    } catch (IOException e) {
      return Runtime.getRuntime().maxMemory(); // not Linux: better than nothing
    }
    return Runtime.getRuntime().maxMemory();
  }

  /** Bytes of the file system a directory is on or will be on. */
  static long disk(Path directory) {
    Path path = directory.toAbsolutePath();
    while (path.getParent() != null && !Files.exists(path)) {
      path = path.getParent(); // it is made later
    }
    try {
      return Files.getFileStore(path).getTotalSpace();
    } catch (IOException e) {
      return 0; // nothing that asks for disk fits then
    }
  }

  /** The host's own resolver configuration. */
  static String resolvConf(Pod pod) {
    return pod.getSpec() == null ? "" : text(Path.of("/etc/resolv.conf"));
  }

  private static String osImage() {
    for (var line : text(Path.of("/etc/os-release")).lines().toList()) {
      if (line.startsWith("PRETTY_NAME=")) {
        return line.substring("PRETTY_NAME=".length()).replace("\"", "");
      }
    }
    return "Linux";
  }

  private static String first(Path file) {
    return text(file).strip();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return ""; // a courtesy to readers, nothing depends on it
    }
  }
}
