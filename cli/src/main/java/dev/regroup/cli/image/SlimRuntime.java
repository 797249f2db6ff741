package dev.regroup.cli.image;

import dev.regroup.cli.screen.CliFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.spi.ToolProvider;

/**
 * A Java runtime with the named modules, linked from the JDK that runs this program, and beside it
 * the files of the C library it was running with: together they need nothing of the machine they
 * are put on but the kernel.
 */
final class SlimRuntime {

  /** What a JVM loads of the C library, the loader first; older ones have more than one file. */
  private static final String LOADER = "ld-linux-";

  private static final List<String> LIBRARIES =
      List.of("libc.so.", "libm.so.", "libdl.so.", "libpthread.so.", "librt.so.");

  private SlimRuntime() {}

  /** Makes {@code java} and {@code lib} below this folder; returns the name of the loader. */
  static String make(Path folder, List<String> modules) throws IOException, CliFailure {
    var jlink =
        ToolProvider.findFirst("jlink")
            .orElseThrow(() ->
                new CliFailure(
                    "this Java cannot make images: it has no jlink (use a JDK 25, not a runtime)"));
    var said = new StringWriter();
    var writer = new PrintWriter(said);
    int code =
        jlink.run(
            writer,
            writer,
            "--add-modules",
            String.join(",", modules),
            "--strip-debug",
            "--no-header-files",
            "--no-man-pages",
            "--vm",
            "server",
            "--output",
            folder.resolve("java").toString());
    if (code != 0) {
      throw new CliFailure("jlink failed: " + said.toString().strip());
    }
    return libraries(Files.createDirectories(folder.resolve("lib")));
  }

  /** Copies what this very process has mapped: nobody knows better what a JVM needs here. */
  private static String libraries(Path folder) throws IOException, CliFailure {
    var found = new TreeMap<String, Path>();
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      int slash = line.indexOf('/');
      if (slash >= 0) {
        Path file = Path.of(line.substring(slash));
        String name = String.valueOf(file.getFileName());
        if (name.startsWith(LOADER) || LIBRARIES.stream().anyMatch(name::startsWith)) {
          found.put(name, file);
        }
      }
    }
    for (var library : found.entrySet()) {
      Files.copy(library.getValue(), folder.resolve(library.getKey()));
    }
    return found.keySet().stream()
        .filter(name -> name.startsWith(LOADER))
        .findFirst()
        .orElseThrow(
            () -> new CliFailure("this Java runs without glibc, an image cannot be made from it"));
  }
}
