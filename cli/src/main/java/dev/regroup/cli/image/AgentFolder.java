package dev.regroup.cli.image;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.node.image.AgentOnHost;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The agent for containers on this machine, which see its files: a jar, its AOT cache where the
 * build has trained one, and a script that runs both with the Java that runs this program. Made on
 * first use, once for equal classes; a container that runs it keeps it mounted.
 */
public final class AgentFolder implements AgentOnHost.Folder {

  private final Path parent;
  private @Nullable Path made;

  /** {@code parent} is where folders of agents are kept. */
  public AgentFolder(Path parent) {
    this.parent = parent;
  }

  @Override
  public synchronized Path get() throws IOException {
    if (made == null) {
      made = make();
    }
    return made;
  }

  private Path make() throws IOException {
    Files.createDirectories(parent);
    Path draft = Files.createTempDirectory(parent, "draft");
    Path jar = draft.resolve("agent.jar");
    AgentJar.write(jar);
    String script =
        """
        #!/bin/sh
        home=${0%%/*}
        [ -e "$home/agent.aot" ] && cache=-XX:AOTCache=$home/agent.aot
        [ -S %s/api ] && api=-Dregroup.agent.socket=%s/api
        exec '%s/bin/java' %s $cache $api -Xlog:aot=off -Xlog:cds=off -jar "$home/agent.jar" "$@"
        """
            .formatted(
                AgentOnHost.API_FOLDER,
                AgentOnHost.API_FOLDER,
                System.getProperty("java.home"),
                String.join(" ", AgentImage.FLAGS));
    Path program = draft.resolve("in-place-restart-agent");
    Files.writeString(program, script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path folder = parent.resolve(name(jar, script));
    if (Files.exists(folder)) {
      discard(draft);
      return folder;
    }
    var cache = trained(AgentJar.source(AgentFolder.class));
    if (cache.isPresent()) {
      Files.copy(cache.get(), draft.resolve("agent.aot"));
    }
    Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE); // never seen half made
    return folder;
  }

  /**
   * Run by the build: puts the agent's cache beside the program's jar, under the same hash. Without
   * it agents on this machine start more slowly.
   */
  public static void train(Path programJar, AgentRoad road)
      throws IOException, CliFailure, InterruptedException {
    Path cache = cacheOf(programJar);
    Path scratch = Files.createTempDirectory("regroup-agent");
    try {
      Path jar = scratch.resolve("agent.jar");
      AgentJar.write(jar);
      var command = new ArrayList<String>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(AgentImage.FLAGS);
      command.addAll(List.of("-jar", jar.toString()));
      Path draft = scratch.resolve("agent.aot");
      AgentTraining.run(Files.createDirectory(scratch.resolve("run")), command, draft, road);
      Files.copy(draft, cache, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      discard(scratch);
    }
  }

  private static Path cacheOf(Path programJar) {
    String name = String.valueOf(programJar.getFileName());
    return programJar.resolveSibling(name.replaceFirst("^regroup-(.*)\\.jar$", "agent-$1.aot"));
  }

  private static Optional<Path> trained(Path programJar) {
    return Optional.of(cacheOf(programJar))
        .filter(cache -> !cache.equals(programJar) && Files.isRegularFile(cache));
  }

  private static void discard(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static String name(Path jar, String script) throws IOException {
    try {
      var sum = MessageDigest.getInstance("SHA-256");
      sum.update(Files.readAllBytes(jar));
      sum.update(script.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(sum.digest()).substring(0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
