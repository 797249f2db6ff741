package dev.regroup.cli.image;

import dev.regroup.cli.screen.CliFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The image of the in-place restart agent. Everything lies in one folder that is complete by
 * itself, so that {@code install} can copy it into a volume and the agent runs in images that know
 * nothing of it, whatever C library they have.
 */
public final class AgentImage {

  /** The folder in the image; a container that runs the copied agent mounts the copy here. */
  private static final String FOLDER = "in-place-restart";

  private static final String PROGRAM = "in-place-restart-agent";
  private static final List<String> MODULES = List.of("java.base", "jdk.net", "jdk.unsupported");

  /**
   * The agent trusts the cluster's authority and nobody else. A handshake would read these all, to
   * learn whether that is one of them; without the file it is none.
   */
  private static final String PUBLIC_AUTHORITIES = "java/lib/security/cacerts";

  /**
   * Small and quick to start: one compiler, one thread for garbage, a heap that fits beside any
   * worker; nothing written to disk, and the limits of the worker left as they are.
   */
  public static final List<String> FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:CompileThresholdScaling=10", // compiling a handshake costs more than it saves
          "-Xms6m",
          "-Xmx24m",
          "-Xss256k",
          "-XX:ReservedCodeCacheSize=16m",
          "-XX:-UsePerfData",
          "-XX:-MaxFDLimit",
          "-XX:+ExitOnOutOfMemoryError",
          "-XX:+DisableAttachMechanism");

  private AgentImage() {}

  /** Builds it below {@code scratch}, an empty folder, and writes the archive. */
  public static void write(Path scratch, Path file, String tag)
      throws IOException, CliFailure, InterruptedException {
    Path root = Files.createDirectories(scratch.resolve("root"));
    Path folder = Files.createDirectories(root.resolve(FOLDER));
    String loader = SlimRuntime.make(folder, MODULES);
    Files.delete(folder.resolve(PUBLIC_AUTHORITIES));
    AgentJar.write(folder.resolve("agent.jar"));
    settle(folder);
    Path training = Files.createDirectories(scratch.resolve("training"));
    AgentTraining.run(
        training, command(folder, List.of()), folder.resolve("agent.aot"), AgentRoad.NETWORK);
    String home = "/" + FOLDER;
    var words = new ArrayList<String>();
    words.addAll(List.of(home + "/lib/" + loader, "--library-path", home + "/lib"));
    words.addAll(command(Path.of(home), List.of("-XX:AOTCache=" + home + "/agent.aot")));
    byte[] launcher = LauncherElf.of(words);
    for (Path place : List.of(root.resolve(PROGRAM), folder.resolve(PROGRAM))) {
      Files.write(place, launcher);
      Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    var archive =
        new ImageArchive(new ImageArchive.Start(List.of("/" + PROGRAM), List.of(), "65532:65532"));
    archive.layer(root, List.of(FOLDER + "/java", FOLDER + "/lib"));
    archive.layer(
        root,
        List.of(FOLDER + "/agent.aot", FOLDER + "/agent.jar", FOLDER + "/" + PROGRAM, PROGRAM));
    archive.write(file, tag);
  }

  private static List<String> command(Path home, List<String> more) {
    var words = new ArrayList<String>();
    words.add(home.resolve("java/bin/java").toString());
    words.addAll(FLAGS);
    words.addAll(more);
    words.addAll(List.of("-jar", home.resolve("agent.jar").toString()));
    return words;
  }

  /** A cache remembers the times of what it was made from; in the image all are the same. */
  static void settle(Path folder) throws IOException {
    var time = FileTime.from(Instant.ofEpochSecond(ImageArchive.SECONDS));
    try (var all = Files.walk(folder)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        Files.setLastModifiedTime(file, time);
      }
    }
  }
}
