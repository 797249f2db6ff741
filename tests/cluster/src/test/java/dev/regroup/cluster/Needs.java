package dev.regroup.cluster;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What the machine must have for a cluster. Where something is missing the scenarios are skipped
 * and say what to do; in CI they fail.
 */
final class Needs {

  static final Path CNI = Path.of("/usr/lib/cni"); // Debian's folder

  private static final int OLDEST_GO = 26; // of Kubernetes 1.36
  private static final Pattern GO = Pattern.compile("go1\\.(\\d+)");

  private Needs() {}

  static void require() throws IOException, InterruptedException {
    var missing = missing();
    if (missing.isEmpty()) {
      return;
    }
    var reason = "a real cluster needs " + String.join("; ", missing);
    if (System.getenv("CI") != null) {
      fail(reason);
    }
    System.out.println("SKIPPED: " + reason);
    abort(reason);
  }

  private static List<String> missing() throws IOException, InterruptedException {
    var missing = new ArrayList<String>();
    if (Files.readAllLines(Path.of("/proc/self/status")).stream()
        .noneMatch(line -> line.startsWith("Uid:\t0\t0"))) {
      missing.add("root");
    }
    var go = goVersion();
    if (go < OLDEST_GO) {
      missing.add(
          "Go 1.%d or newer (%s)"
              .formatted(OLDEST_GO, go < 0 ? "there is none on the path" : "found 1." + go));
    }
    for (var one :
        List.of(
            "runc (package runc)",
            "busybox (package busybox-static)",
            "flock (package util-linux)",
            "ip (package iproute2)",
            "nice (package coreutils)")) {
      if (program(one.substring(0, one.indexOf(' '))).isEmpty()) {
        missing.add(one);
      }
    }
    if (!Files.isExecutable(CNI.resolve("bridge"))) {
      missing.add(CNI + "/bridge (package containernetworking-plugins)");
    }
    if (!Files.isDirectory(Path.of("/sys/fs/cgroup/memory"))) {
      missing.add("control groups of version 1 (nobody has tried it with version 2)");
    }
    return missing;
  }

  /** The number after "1."; -1 when there is no Go. */
  private static int goVersion() throws IOException, InterruptedException {
    if (program("go").isEmpty()) {
      return -1;
    }
    var version = GO.matcher(Command.run(Duration.ofMinutes(1), "go", "version"));
    return version.find() ? Integer.parseInt(version.group(1)) : -1;
  }

  /** Where a program of the path is. */
  static Optional<Path> program(String name) {
    return Arrays.stream(System.getenv("PATH").split(":", -1))
        .map(folder -> Path.of(folder).resolve(name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
