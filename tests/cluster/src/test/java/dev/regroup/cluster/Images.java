package dev.regroup.cluster;

import dev.regroup.cli.image.ImageArchive;
import dev.regroup.upstream.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Images made from programs of this machine: nothing is downloaded. Both have the same one layer:
 * busybox with a link for each of its commands, and flock.
 */
final class Images {

  static final String PAUSE = "docker.io/local/pause:1";

  private static final String WORKER = "docker.io/library/busybox:latest"; // what "busybox" means
  private static final String ROOT = "0:0";
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");

  private Images() {}

  /** Makes both below this folder; containerd imports the archives. */
  static List<Path> make(Path folder) throws IOException, InterruptedException {
    var root = Files.createDirectories(folder.resolve("root"));
    var bin = Files.createDirectories(root.resolve("bin"));
    copy(Needs.program("busybox").orElseThrow(), bin.resolve("busybox"));
    for (var name : Command.run(LIMIT, "busybox", "--list").lines().toList()) {
      if (!name.equals("busybox")) {
        Files.createSymbolicLink(bin.resolve(name), Path.of("busybox"));
      }
    }
    var flock = Needs.program("flock").orElseThrow();
    copy(flock, bin.resolve("flock"));
    var libraries = LIBRARY.matcher(Command.run(LIMIT, "ldd", flock.toString()));
    while (libraries.find()) {
      var library = Path.of(libraries.group(1));
      copy(library, root.resolve(Path.of("/").relativize(library)));
    }
    Files.createDirectories(root.resolve("tmp"));
    return List.of(
        pack(folder, WORKER, List.of("sh")),
        pack(
            folder,
            PAUSE,
            List.of(
                "sh", "-c", "trap 'exit 0' INT TERM; while :; do sleep 2147483 & wait $!; done")));
  }

  private static Path pack(Path folder, String tag, List<String> command) throws IOException {
    var archive = new ImageArchive(new ImageArchive.Start(List.of(), command, ROOT));
    try (var entries = Files.list(folder.resolve("root"))) {
      archive.layer(
          folder.resolve("root"),
          entries.map(entry -> entry.getFileName().toString()).sorted().toList());
    }
    var file = folder.resolve(tag.replaceAll("\\W", "-") + ".tar");
    archive.write(file, tag);
    return file;
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
  }
}
