package dev.regroup.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The name of this machine, in the form a node may have. */
public final class HostName {

  private HostName() {}

  public static String get() {
    try {
      String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
      String legal = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]", "-");
      String trimmed = legal.replaceAll("^[.-]+|[.-]+$", "");
      return trimmed.isEmpty() ? "localhost" : trimmed;
    } catch (IOException e) {
      return "localhost";
    }
  }
}
