package dev.regroup.cli.doctor;

import dev.regroup.cli.doctor.Diagnosis.State;
import dev.regroup.runtime.embedded.Isolation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Turns facts about a machine into advice. Pure; what is missing comes with what to do. */
public final class Diagnoses {

  private static final int JAVA = 25;
  private static final int OLDEST_KUBECTL = 30; // of 1.x: talks through WebSockets
  private static final long MEBIBYTE = 1L << 20;
  private static final long LITTLE_DISK = 1024 * MEBIBYTE; // 1 GiB
  private static final long NO_DISK = 64 * MEBIBYTE;
  private static final long LITTLE_MEMORY = 1024 * MEBIBYTE;
  private static final long NO_MEMORY = 256 * MEBIBYTE;
  private static final long FEW_FILES = 4096;
  private static final Pattern KUBECTL = Pattern.compile("v1\\.(\\d{1,4})\\b.*");

  private final List<Diagnosis> list = new ArrayList<>();

  private Diagnoses() {}

  /** In the order a person would go through them. */
  public static List<Diagnosis> of(MachineFacts facts) {
    var all = new Diagnoses();
    all.containers(facts.isolation());
    all.overlay(facts.overlay());
    all.users(facts.userNamespaces());
    all.java(facts.java());
    all.disk(facts.directory(), facts.diskFree());
    all.memory(facts.memoryFree());
    all.files(facts.openFiles());
    all.port(facts.port(), facts.portTaken());
    all.kubectl(facts.kubectl().orElse(""));
    return List.copyOf(all.list);
  }

  /** Whether a cluster can be started here. */
  public static boolean canRun(List<Diagnosis> all) {
    return all.stream().noneMatch(one -> one.state() == State.MISSING);
  }

  private void containers(Isolation isolation) {
    switch (isolation) {
      case Isolation.Unavailable(String reason) -> {
        var parts = reason.split(" \\(", 2);
        String advice = parts.length == 2 ? parts[1].replaceFirst("\\)$", "") : "";
        list.add(Diagnosis.missing("containers", parts[0], advice));
      }
      case Isolation.Possible(var level, var unlimited) when unlimited.isEmpty() ->
          list.add(
              Diagnosis.good("containers", "isolation " + level.name().toLowerCase(Locale.ROOT)));
      case Isolation.Possible(var level, var unlimited) ->
          list.add(
              Diagnosis.limited(
                  "containers",
                  "isolation %s, limits of %s are off"
                      .formatted(
                          level.name().toLowerCase(Locale.ROOT), String.join(", ", unlimited)),
                  "give this program a control group that it may divide"));
    }
  }

  private void overlay(boolean there) {
    list.add(
        there
            ? Diagnosis.good("overlay", "the kernel has overlay file systems")
            : Diagnosis.missing("overlay", "no overlay file systems", "modprobe overlay"));
  }

  private void users(long namespaces) {
    list.add(
        namespaces > 0
            ? Diagnosis.good("user namespaces", "on (Regroup needs root all the same)")
            : Diagnosis.good("user namespaces", "off (Regroup does not need them)"));
  }

  private void java(int version) {
    list.add(
        version == JAVA
            ? Diagnosis.good("java", "JDK " + version)
            : Diagnosis.limited(
                "java", "JDK " + version, "Regroup is built for and tested with JDK " + JAVA));
  }

  private void disk(String directory, long free) {
    String found = "%s free below %s".formatted(amount(free), directory);
    String advice = "make room, or choose another place with --data-dir";
    if (free < NO_DISK) {
      list.add(Diagnosis.missing("disk", found, advice));
    } else if (free < LITTLE_DISK) {
      list.add(Diagnosis.limited("disk", found, advice));
    } else {
      list.add(Diagnosis.good("disk", found));
    }
  }

  private void memory(long free) {
    String found = amount(free) + " free";
    if (free < NO_MEMORY) {
      list.add(Diagnosis.missing("memory", found, "end something: Regroup itself takes 150 MiB"));
    } else if (free < LITTLE_MEMORY) {
      list.add(Diagnosis.limited("memory", found, "enough for Regroup and a few small workers"));
    } else {
      list.add(Diagnosis.good("memory", found));
    }
  }

  private void files(long open) {
    String found = open == Long.MAX_VALUE ? "no limit" : open + " at once";
    list.add(
        open < FEW_FILES
            ? Diagnosis.limited("open files", found, "ulimit -n 65536, for many pods and watches")
            : Diagnosis.good("open files", found));
  }

  private void port(int port, boolean taken) {
    list.add(
        taken
            ? Diagnosis.limited(
                "port", port + " is in use", "'up --port 0' takes a free one; 'run' always does")
            : Diagnosis.good("port", port + " is free"));
  }

  private void kubectl(String version) {
    var matcher = KUBECTL.matcher(version);
    if (version.isEmpty()) {
      list.add(
          Diagnosis.limited(
              "kubectl", "not on the path", "install 1.30 or newer to look into clusters"));
    } else if (matcher.matches() && Integer.parseInt(matcher.group(1)) < OLDEST_KUBECTL) {
      list.add(
          Diagnosis.limited(
              "kubectl", version, "exec, attach and port-forward need 1.30 or newer"));
    } else {
      list.add(Diagnosis.good("kubectl", version));
    }
  }

  private static String amount(long bytes) {
    long gibibyte = 1024 * MEBIBYTE;
    return bytes >= gibibyte
        ? String.format(Locale.ROOT, "%.1f GiB", (double) bytes / gibibyte)
        : bytes / MEBIBYTE + " MiB";
  }
}
