package dev.regroup.cli.image;

import dev.regroup.agent.AgentMain;
import dev.regroup.rules.group.AgentMind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The agent as a jar of its own, made from the classes of this program: the agent and the few
 * decisions it uses. Equal classes give equal bytes. Nothing in it is compressed: a start reads it.
 */
public final class AgentJar {

  private static final String RULES = "dev/regroup/rules/";

  /** What the agent asks: its attempt and barrier, rules of exits, back-off. */
  private static final Pattern DECISIONS =
      Pattern.compile(
          "(group/(AgentMind|Barrier|GroupOrders|WorkerEnd)"
              + "|Exit|ExitDecision|ExitRule|RestartPolicy|RuleGate"
              + "|pod/(BackOffMemory|NodeSettings)|pod/plan/ContainerBackOff)(\\$.*)?\\.class");

  private AgentJar() {}

  public static void write(Path jar) throws IOException {
    var files = new TreeMap<String, byte[]>();
    collect(AgentMain.class, name -> name.startsWith("dev/regroup/agent/"), files);
    collect(AgentMind.class, AgentJar::isDecision, files);
    try (var out = new ZipOutputStream(Files.newOutputStream(jar))) {
      out.setMethod(ZipOutputStream.STORED);
      String manifest =
          """
          Manifest-Version: 1.0
          Main-Class: %s
          Enable-Native-Access: ALL-UNNAMED

          """
              .formatted(AgentMain.class.getName());
      entry(out, "META-INF/MANIFEST.MF", manifest.getBytes(StandardCharsets.UTF_8));
      for (var file : files.entrySet()) {
        entry(out, file.getKey(), file.getValue());
      }
    }
  }

  private static boolean isDecision(String name) {
    return name.startsWith(RULES) && DECISIONS.matcher(name.substring(RULES.length())).matches();
  }

  private static void entry(ZipOutputStream out, String name, byte[] bytes) throws IOException {
    var sum = new CRC32();
    sum.update(bytes);
    var entry = new ZipEntry(name);
    entry.setTimeLocal(ImageArchive.TIME);
    entry.setSize(bytes.length);
    entry.setCrc(sum.getValue());
    out.putNextEntry(entry);
    out.write(bytes);
    out.closeEntry();
  }

  /** Reads classes from where this one came from: a folder or a jar. */
  private static void collect(
      Class<?> neighbour, Predicate<String> wanted, Map<String, byte[]> files) throws IOException {
    Path source = source(neighbour);
    if (Files.isDirectory(source)) {
      collect(source, wanted, files);
      return;
    }
    try (var jar = FileSystems.newFileSystem(source)) {
      collect(jar.getPath("/"), wanted, files);
    }
  }

  private static void collect(Path root, Predicate<String> wanted, Map<String, byte[]> files)
      throws IOException {
    try (var all = Files.walk(root.resolve("dev/regroup"))) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String name = root.relativize(file).toString();
        if (name.endsWith(".class") && !name.endsWith("package-info.class") && wanted.test(name)) {
          files.put(name, Files.readAllBytes(file));
        }
      }
    }
  }

  /** The jar or folder a class was loaded from. */
  static Path source(Class<?> type) throws IOException {
    var source = type.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      throw new IOException("cannot tell where " + type.getName() + " comes from");
    }
    return Path.of(source.getLocation().getPath());
  }
}
