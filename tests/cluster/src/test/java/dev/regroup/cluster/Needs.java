package dev.regroup.cluster;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.regroup.upstream.GoPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What the machine must have for a cluster. Where something is missing the scenarios are skipped
 * and say what to do; in CI they fail.
 */
final class Needs {

  static final Path CNI = Path.of("/usr/lib/cni"); // Debian's folder

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
    GoPrograms.missing().ifPresent(missing::add);
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

  /** Where a program of the path is. */
  static Optional<Path> program(String name) {
    return Arrays.stream(System.getenv("PATH").split(":", -1))
        .map(folder -> Path.of(folder).resolve(name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
