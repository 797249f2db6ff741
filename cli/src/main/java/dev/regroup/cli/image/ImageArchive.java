package dev.regroup.cli.image;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;

/**
 * An image as one file: the OCI layout, and the list that {@code docker load} reads, over the same
 * blobs. Equal trees give equal bytes: names are sorted, times, owners and machines left out.
 */
public final class ImageArchive {

  /** The one time in everything this program packs. */
  static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  static final long SECONDS = TIME.toEpochSecond(ZoneOffset.UTC);

  private static final String LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar+gzip";
  private static final String CONFIG_TYPE = "application/vnd.oci.image.config.v1+json";
  private static final String MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";

  /**
   * How the image is started.
   *
   * @param user number of user and group, {@code uid:gid}
   */
  public record Start(List<String> entrypoint, List<String> command, String user) {}

  private record Blob(String digest, byte[] bytes) {}

  private final Start start;
  private final TreeMap<String, byte[]> blobs = new TreeMap<>();
  private final List<Blob> layers = new ArrayList<>();
  private final List<String> diffs = new ArrayList<>();

  public ImageArchive(Start start) {
    this.start = start;
  }

  /** Adds the trees below {@code root} that these names begin, as one layer. */
  public void layer(Path root, List<String> names) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var sum = sha256();
    try (var tar =
        new TarWriter(
            new DigestOutputStream(
                new BufferedOutputStream(new GZIPOutputStream(bytes), 1 << 16), sum))) {
      for (String name : names) {
        tar.tree(root, name);
      }
    }
    diffs.add("sha256:" + HexFormat.of().formatHex(sum.digest()));
    layers.add(blob(bytes.toByteArray()));
  }

  /** Writes the archive; {@code tag} is the name under which it is imported. */
  public void write(Path file, String tag) throws IOException {
    Blob config = blob(bytes(config()));
    Blob manifest = blob(bytes(manifest(config)));
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(draft), 1 << 16);
        var tar = new TarWriter(out)) {
      tar.file("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.UTF_8));
      tar.file("index.json", bytes(index(manifest, tag)));
      tar.file("manifest.json", dockerList(config, tag));
      tar.directory("blobs");
      tar.directory("blobs/sha256");
      for (var blob : blobs.entrySet()) {
        tar.file(path(blob.getKey()), blob.getValue());
      }
    }
    Files.move(draft, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }

  private ObjectNode config() {
    ObjectNode config = Wire.object();
    config.put("created", TIME + ":00Z");
    config.put("architecture", architecture()).put("os", "linux");
    ObjectNode run = config.putObject("config");
    run.put("User", start.user());
    var entrypoint = run.putArray("Entrypoint");
    start.entrypoint().forEach(entrypoint::add);
    if (!start.command().isEmpty()) {
      var command = run.putArray("Cmd");
      start.command().forEach(command::add);
    }
    run.putArray("Env").add("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    run.put("WorkingDir", "/");
    ObjectNode root = config.putObject("rootfs").put("type", "layers");
    var ids = root.putArray("diff_ids");
    diffs.forEach(ids::add);
    return config;
  }

  private static String architecture() {
    String name = System.getProperty("os.arch");
    return name.equals("aarch64") ? "arm64" : name;
  }

  private ObjectNode manifest(Blob config) {
    ObjectNode manifest = Wire.object().put("schemaVersion", 2).put("mediaType", MANIFEST_TYPE);
    describe(manifest.putObject("config"), CONFIG_TYPE, config);
    var list = manifest.putArray("layers");
    layers.forEach(layer -> describe(list.addObject(), LAYER_TYPE, layer));
    return manifest;
  }

  private static ObjectNode index(Blob manifest, String tag) {
    ObjectNode index = Wire.object().put("schemaVersion", 2);
    ObjectNode entry = index.putArray("manifests").addObject();
    describe(entry, MANIFEST_TYPE, manifest);
    entry.putObject("platform").put("architecture", architecture()).put("os", "linux");
    entry
        .putObject("annotations")
        .put("io.containerd.image.name", tag)
        .put("org.opencontainers.image.ref.name", tag.substring(tag.lastIndexOf(':') + 1));
    return index;
  }

  private byte[] dockerList(Blob config, String tag) {
    ObjectNode entry = Wire.object().put("Config", path(config.digest()));
    entry.putArray("RepoTags").add(tag);
    var list = entry.putArray("Layers");
    layers.forEach(layer -> list.add(path(layer.digest())));
    return ("[" + entry + "]").getBytes(StandardCharsets.UTF_8);
  }

  private static void describe(ObjectNode into, String type, Blob blob) {
    into.put("mediaType", type);
    into.put("digest", "sha256:" + blob.digest());
    into.put("size", blob.bytes().length);
  }

  private static String path(String digest) {
    return "blobs/sha256/" + digest;
  }

  private static byte[] bytes(ObjectNode tree) {
    return tree.toString().getBytes(StandardCharsets.UTF_8);
  }

  private Blob blob(byte[] bytes) {
    String digest = HexFormat.of().formatHex(sha256().digest(bytes));
    blobs.put(digest, bytes);
    return new Blob(digest, bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
