package dev.regroup.cli;

import dev.regroup.cli.image.AgentFolder;
import dev.regroup.cli.image.AgentRoad;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Logging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Run by the build: puts the jar into the distribution folder under its hash and trains the AOT
 * cache of the same name by a real run of {@link TrainCommand}; so for the agents it runs locally.
 * A JVM uses a cache of other classes without a word; a name that follows the content makes that
 * impossible.
 */
public final class CacheTraining {

  private static final int LIMIT_SECONDS = 120;

  private CacheTraining() {}

  public static void main(String[] args)
      throws IOException, InterruptedException, NoSuchAlgorithmException {
    Logging.quiet(); // the agent is trained against a server in this process
    Path built = Path.of(args[0]);
    Path dist = Path.of(args[1]);
    String hash =
        HexFormat.of()
            .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(built)))
            .substring(0, 16);
    Path jar = dist.resolve("regroup-" + hash + ".jar");
    Path cache = dist.resolve("regroup-" + hash + ".aot");
    Files.createDirectories(dist);
    removeOthers(dist, hash);
    if (!Files.exists(jar)) { // its name tells what is in it; a cache wants the very file it saw
      Path draft = dist.resolve("draft.jar");
      Files.copy(built, draft, StandardCopyOption.REPLACE_EXISTING);
      Files.move(draft, jar, StandardCopyOption.ATOMIC_MOVE);
    }
    if (!Files.exists(cache)) {
      train(jar, cache);
      trainAgent(jar);
    }
  }

  private static void trainAgent(Path jar) throws IOException, InterruptedException {
    try {
      AgentFolder.train(jar, AgentRoad.SOCKET);
    } catch (CliFailure e) {
      System.err.println("no AOT cache for agents, they start more slowly: " + e.getMessage());
    }
  }

  private static void train(Path jar, Path cache) throws IOException, InterruptedException {
    Path draft = cache.resolveSibling("draft.aot");
    var training =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:+UseCompactObjectHeaders",
                    "-XX:AOTCacheOutput=" + draft,
                    "-Xlog:aot=off",
                    "-Xlog:cds=off",
                    "-jar",
                    jar.toString(),
                    "train-cache"))
            .redirectErrorStream(true)
            .redirectOutput(cache.resolveSibling("training.log").toFile())
            .start();
    boolean ended = training.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      training.destroyForcibly();
    }
    if (ended && training.exitValue() == 0 && Files.exists(draft)) {
      Files.move(draft, cache, StandardCopyOption.ATOMIC_MOVE);
      return;
    }
    // The jar works without, it only starts more slowly: no reason to fail a build.
    System.err.println(
        "no AOT cache, starts will be slow: the training run %s (%s)"
            .formatted(
                ended ? "failed" : "took more than " + LIMIT_SECONDS + " s",
                cache.resolveSibling("training.log")));
  }

  private static void removeOthers(Path dist, String hash) throws IOException {
    try (var files = Files.list(dist)) {
      for (Path file : files.toList()) {
        if (!file.getFileName().toString().contains(hash)) {
          Files.delete(file);
        }
      }
    }
  }
}
