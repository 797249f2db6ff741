package dev.regroup.cli.kubeconfig;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.api.yaml.YamlFailure;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import dev.regroup.cli.screen.YamlText;
import dev.regroup.server.AdminCredentials;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A kubeconfig that may belong to the user: one cluster, user and context are merged in or taken
 * out, the rest stays. Written beside and renamed, readable by the owner only, so a crash leaves
 * the old file or the new one.
 */
public final class KubeConfigFile {

  static final String NAME = "regroup";

  /** Remembers which context was current, so that taking ours out brings it back. */
  private static final String PREVIOUS = "regroup.dev/previous-context";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Path file;

  public KubeConfigFile(Path file) {
    this.file = file.toAbsolutePath();
  }

  /**
   * Every file that may hold the right to do everything: this one, its draft, the user's others.
   */
  public List<Path> secrets(Map<String, String> environment, Path home) {
    var secrets = new ArrayList<>(List.of(file, draft(), home.resolve(".kube/config")));
    for (String entry : environment.getOrDefault("KUBECONFIG", "").split(":", -1)) {
      if (!entry.isBlank()) {
        secrets.add(Path.of(entry).toAbsolutePath());
      }
    }
    return secrets.stream().filter(known -> Files.exists(known.getParent())).toList();
  }

  private Path draft() {
    return file.resolveSibling(file.getFileName() + ".regroup");
  }

  /** The file kubectl would use: first entry of KUBECONFIG, else the one in the home folder. */
  static KubeConfigFile ofUser(Map<String, String> environment, Path home) {
    String named = environment.getOrDefault("KUBECONFIG", "");
    for (String entry : named.split(":", -1)) {
      if (!entry.isBlank()) {
        return new KubeConfigFile(Path.of(entry));
      }
    }
    return new KubeConfigFile(home.resolve(".kube/config"));
  }

  public Path path() {
    return file;
  }

  public void merge(URI server, AdminCredentials admin) throws CliFailure {
    var config = read();
    String current = config.path("current-context").asText("");
    if (!current.equals(NAME)) {
      config.withObject("/preferences").put(PREVIOUS, current); // kubectl keeps unknown preferences
    }
    put(
        config,
        "clusters",
        "cluster",
        JSON.objectNode()
            .put("server", server.toString())
            .put("certificate-authority-data", base64(admin.caPem())));
    put(
        config,
        "users",
        "user",
        JSON.objectNode()
            .put("client-certificate-data", base64(admin.certificatePem()))
            .put("client-key-data", base64(admin.keyPem())));
    put(
        config,
        "contexts",
        "context",
        JSON.objectNode().put("cluster", NAME).put("user", NAME).put("namespace", "default"));
    config.put("current-context", NAME);
    write(config);
  }

  /** Takes out what {@link #merge} put in; a file that has nothing of ours is not touched. */
  public void remove() throws CliFailure {
    if (!Files.exists(file)) {
      return;
    }
    var config = read();
    boolean changed = false;
    for (String list : List.of("clusters", "users", "contexts")) {
      changed |= take(config.withArray("/" + list));
    }
    var preferences = config.withObject("/preferences");
    String previous = preferences.path(PREVIOUS).asText("");
    preferences.remove(PREVIOUS);
    if (config.path("current-context").asText("").equals(NAME)) {
      config.put("current-context", previous);
    }
    if (changed) {
      write(config);
    }
  }

  private static void put(ObjectNode config, String list, String field, ObjectNode value) {
    var entries = config.withArray("/" + list);
    take(entries);
    var entry = JSON.objectNode().put("name", NAME);
    entry.set(field, value);
    entries.add(entry);
  }

  private static boolean take(ArrayNode entries) {
    int before = entries.size();
    for (int i = entries.size() - 1; i >= 0; i--) {
      if (entries.get(i).path("name").asText().equals(NAME)) {
        entries.remove(i);
      }
    }
    return entries.size() != before;
  }

  private ObjectNode read() throws CliFailure {
    try {
      var documents = YamlDocuments.read(Files.readAllBytes(file));
      JsonNode root = documents.isEmpty() ? JSON.objectNode() : documents.getFirst().root();
      if (root instanceof ObjectNode config) {
        for (String list : List.of("clusters", "users", "contexts")) {
          if (config.path(list).isNull()) {
            config.remove(list); // kubectl writes empty lists as null
          }
        }
        return config;
      }
      throw new CliFailure(file + ": is not a kubeconfig (name another with --kubeconfig)");
    } catch (NoSuchFileException e) {
      return JSON.objectNode().put("apiVersion", "v1").put("kind", "Config");
    } catch (YamlFailure e) {
      throw new CliFailure(
          "%s:%s: %s (repair it or name another file with --kubeconfig)"
              .formatted(file, e.position(), e.problem()),
          e);
    } catch (IOException e) {
      throw new CliFailure(file + ": cannot be read: " + Reason.of(e), e);
    }
  }

  /** The folder it will be written to. */
  public void makeFolder() throws CliFailure {
    try {
      makeFolder(Objects.requireNonNull(file.getParent(), "folder"));
    } catch (IOException e) {
      throw new CliFailure(file + ": cannot be written: " + Reason.of(e), e);
    }
  }

  private void write(ObjectNode config) throws CliFailure {
    Path folder = Objects.requireNonNull(file.getParent(), "folder");
    Path draft = draft();
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try {
      makeFolder(folder);
      Files.deleteIfExists(draft);
      try (var out =
          Files.newByteChannel(
              draft, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
        out.write(java.nio.ByteBuffer.wrap(YamlText.of(config).getBytes(UTF_8)));
      }
      Files.setOwner(draft, Files.getOwner(Files.exists(file) ? file : folder));
      Files.move(draft, target(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new CliFailure(file + ": cannot be written: " + Reason.of(e), e);
    }
  }

  /** What is new belongs to whom the place belongs: under sudo to the user, not to root. */
  private static void makeFolder(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path parent = Objects.requireNonNull(folder.getParent(), "parent");
    makeFolder(parent);
    Files.createDirectory(folder);
    Files.setOwner(folder, Files.getOwner(parent));
  }

  /** The file itself, not the link that may stand for it. */
  private Path target() throws IOException {
    return Files.exists(file) ? file.toRealPath() : file;
  }

  private static String base64(String pem) {
    return Base64.getEncoder().encodeToString(pem.getBytes(UTF_8));
  }
}
