package dev.regroup.cli.doctor;

import dev.regroup.runtime.embedded.Isolation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Looks at this machine. It changes nothing and starts nothing but {@code kubectl version}. */
public final class MachineLook {

  private static final long PATIENCE_SECONDS = 5; // for kubectl
  private static final Pattern VERSION = Pattern.compile("\"gitVersion\":\\s*\"([^\"]{1,64})\"");

  private MachineLook() {}

  public static MachineFacts at(Path directory, int port) throws InterruptedException {
    return new MachineFacts(
        Runtime.version().feature(),
        Isolation.probe(),
        knowsOverlay(),
        number("/proc/sys/user/max_user_namespaces"),
        kubectl(),
        directory.toString(),
        diskFree(directory),
        memoryFree(),
        port,
        isTaken(port),
        openFiles());
  }

  /** A module that is there but not loaded is loaded by the first mount. */
  private static boolean knowsOverlay() {
    String kernel = System.getProperty("os.version", "");
    return lines("/proc/filesystems").anyMatch(line -> line.endsWith("\toverlay"))
        || Stream.of("overlay.ko", "overlay.ko.xz", "overlay.ko.zst", "overlay.ko.gz")
            .map(file -> Path.of("/lib/modules", kernel, "kernel/fs/overlayfs", file))
            .anyMatch(Files::exists);
  }

  private static long diskFree(Path directory) {
    Path there = directory.toAbsolutePath();
    while (!Files.isDirectory(there) && there.getParent() != null) {
      there = there.getParent(); // where it would be made
    }
    try {
      return Files.getFileStore(there).getUsableSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  private static long memoryFree() {
    return lines("/proc/meminfo")
        .filter(line -> line.startsWith("MemAvailable:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
        .findFirst()
        .orElse(0);
  }

  private static long openFiles() {
    return lines("/proc/self/limits")
        .filter(line -> line.startsWith("Max open files"))
        .map(line -> line.substring("Max open files".length()).strip().split(" +", -1))
        .map(words -> words[words.length > 1 ? 1 : 0]) // the hard one: Regroup raises its own
        .mapToLong(word -> word.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(word))
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }

  private static boolean isTaken(int port) {
    try (var socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static Optional<String> kubectl() throws InterruptedException {
    Process process;
    try {
      process =
          new ProcessBuilder(List.of("kubectl", "version", "--client", "-o", "json"))
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      return Optional.empty(); // none on the path
    }
    try (var reader = process.inputReader()) {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return Optional.of("does not answer");
      }
      var version = VERSION.matcher(reader.readAllAsString());
      return Optional.of(version.find() ? version.group(1) : "of unknown version");
    } catch (IOException e) {
      return Optional.of("does not answer");
    } finally {
      process.destroyForcibly();
    }
  }

  private static long number(String file) {
    return lines(file).map(String::strip).mapToLong(Long::parseLong).findFirst().orElse(0);
  }

  private static Stream<String> lines(String file) {
    try {
      return Files.readAllLines(Path.of(file)).stream();
    } catch (IOException e) {
      return Stream.empty();
    }
  }
}
