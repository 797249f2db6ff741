package dev.regroup.cli.image;

import dev.regroup.cli.screen.CliFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The image of the whole program, started as the controller of a cluster. */
public final class ControllerImage {

  private static final String FOLDER = "regroup";
  private static final int TRAINING_SECONDS = 180;
  private static final List<String> MODULES =
      List.of(
          "java.base",
          "java.logging",
          "java.management",
          "java.naming",
          "java.net.http",
          "java.sql",
          "java.xml",
          "jdk.management",
          "jdk.net",
          "jdk.unsupported",
          "jdk.zipfs");

  private static final List<String> FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:MinHeapFreeRatio=20",
          "-XX:MaxHeapFreeRatio=40",
          "-XX:-ShrinkHeapInSteps",
          "-XX:+ExitOnOutOfMemoryError",
          "-XX:+UseCompactObjectHeaders",
          "-XX:-UsePerfData",
          "--sun-misc-unsafe-memory-access=allow");

  private ControllerImage() {}

  /** Builds it below {@code scratch}, an empty folder, from this program's own jar. */
  public static void write(Path scratch, Path file, String tag)
      throws IOException, CliFailure, InterruptedException {
    Path jar = AgentJar.source(ControllerImage.class);
    if (!Files.isRegularFile(jar) || !jar.getFileName().toString().startsWith("regroup-")) {
      throw new CliFailure(
          "the controller's image is made from the packaged program (start it as bin/regroup)");
    }
    Path root = Files.createDirectories(scratch.resolve("root"));
    Path folder = Files.createDirectories(root.resolve(FOLDER));
    String loader = SlimRuntime.make(folder, MODULES);
    Files.copy(jar, folder.resolve("regroup.jar"));
    AgentImage.settle(folder);
    train(folder, scratch.resolve("log"));
    String home = "/" + FOLDER;
    var words = new ArrayList<String>();
    words.addAll(List.of(home + "/lib/" + loader, "--library-path", home + "/lib"));
    words.addAll(
        command(Path.of(home), List.of("-XX:AOTCache=" + home + "/regroup.aot", "-Xlog:aot=off")));
    Path program = folder.resolve("regroup");
    Files.write(program, LauncherElf.of(words));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    var start =
        new ImageArchive.Start(List.of(home + "/regroup"), List.of("controller"), "65532:65532");
    var archive = new ImageArchive(start);
    archive.layer(root, List.of(FOLDER + "/java", FOLDER + "/lib"));
    archive.layer(
        root, List.of(FOLDER + "/regroup", FOLDER + "/regroup.aot", FOLDER + "/regroup.jar"));
    archive.write(file, tag);
  }

  private static List<String> command(Path home, List<String> more) {
    var words = new ArrayList<String>();
    words.add(home.resolve("java/bin/java").toString());
    words.addAll(FLAGS);
    words.addAll(more);
    words.addAll(List.of("-jar", home.resolve("regroup.jar").toString()));
    return words;
  }

  private static void train(Path folder, Path log)
      throws IOException, CliFailure, InterruptedException {
    Path cache = folder.resolve("regroup.aot");
    var words =
        command(folder, List.of("-XX:AOTCacheOutput=" + cache, "-Xlog:aot=off", "-Xlog:cds=off"));
    words.add("train-cache");
    Process training =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      boolean ended = training.waitFor(TRAINING_SECONDS, TimeUnit.SECONDS);
      if (!ended || training.exitValue() != 0 || !Files.exists(cache)) {
        throw new CliFailure(
            "the controller's training run %s:%n%s"
                .formatted(
                    ended ? "failed with " + training.exitValue() : "did not end",
                    Files.readString(log)));
      }
    } finally {
      training.destroyForcibly();
    }
  }
}
