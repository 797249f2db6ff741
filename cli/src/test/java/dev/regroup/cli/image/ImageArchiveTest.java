package dev.regroup.cli.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageArchiveTest {

  private static final String LONG = "a-name-that-is-not-short/".repeat(6);

  @TempDir Path folder;

  @Test
  void both_lists_lead_to_the_same_blobs_and_every_blob_is_what_its_name_says() throws Exception {
    Path unpacked = unpack(archive(tree("one")));

    JsonNode docker = json(unpacked.resolve("manifest.json")).path(0);
    JsonNode entry = json(unpacked.resolve("index.json")).path("manifests").path(0);
    JsonNode manifest = json(blob(unpacked, entry));
    JsonNode config = json(blob(unpacked, manifest.path("config")));
    assertThat(docker.path("RepoTags").path(0).asText()).isEqualTo("example.org/x:v7");
    assertThat(entry.path("annotations").path("io.containerd.image.name").asText())
        .isEqualTo("example.org/x:v7");
    assertThat(docker.path("Config").asText())
        .endsWith(manifest.path("config").path("digest").asText().substring(7));
    assertThat(config.path("config").path("User").asText()).isEqualTo("1:2");
    assertThat(config.path("config").path("Entrypoint").path(0).asText()).isEqualTo("/start");
    Path layer = blob(unpacked, manifest.path("layers").path(0));
    assertThat(config.path("rootfs").path("diff_ids").path(0).asText())
        .isEqualTo("sha256:" + hash(output("gzip", "-dc", layer.toString())));
    assertThat(docker.path("Layers").path(0).asText()).endsWith(layer.getFileName().toString());
  }

  @Test
  void a_layer_holds_files_links_and_long_names_for_everybody_to_read() throws Exception {
    Path unpacked = unpack(archive(tree("one")));
    JsonNode docker = json(unpacked.resolve("manifest.json")).path(0);
    String layer = unpacked.resolve(docker.path("Layers").path(0).asText()).toString();

    String list = new String(output("tar", "tvzf", layer), StandardCharsets.UTF_8);

    assertThat(list)
        .contains("-rwxr-xr-x 0/0", "-rw-r--r-- 0/0", "lrwxrwxrwx", " -> program", LONG + "file");
  }

  @Test
  void equal_trees_give_equal_bytes() throws Exception {
    Path first = archive(tree("one"));
    Path second = archive(tree("two"));

    assertThat(second).hasSameBinaryContentAs(first);
  }

  private Path tree(String name) throws Exception {
    Path root = Files.createDirectories(folder.resolve(name));
    Files.createDirectories(root.resolve("t/" + LONG));
    Files.writeString(root.resolve("t/" + LONG + "file"), "deep");
    Files.writeString(root.resolve("t/data"), "x".repeat(1_000));
    Path program = Files.writeString(root.resolve("t/program"), "#!");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    Files.setPosixFilePermissions(
        root.resolve("t/data"), PosixFilePermissions.fromString("rw-------"));
    Files.setLastModifiedTime(program, FileTime.fromMillis(name.hashCode()));
    Files.createSymbolicLink(root.resolve("t/link"), Path.of("program"));
    return root;
  }

  private Path archive(Path root) throws Exception {
    var archive = new ImageArchive(new ImageArchive.Start(List.of("/start"), List.of(), "1:2"));
    archive.layer(root, List.of("t"));
    Path file = root.resolveSibling(root.getFileName() + ".tar");
    archive.write(file, "example.org/x:v7");
    return file;
  }

  private Path unpack(Path archive) throws Exception {
    Path target = Files.createDirectories(folder.resolve("unpacked"));
    output("tar", "xf", archive.toString(), "-C", target.toString());
    return target;
  }

  private static Path blob(Path unpacked, JsonNode described) throws Exception {
    String digest = described.path("digest").asText().substring("sha256:".length());
    Path blob = unpacked.resolve("blobs/sha256").resolve(digest);
    byte[] bytes = Files.readAllBytes(blob);
    assertThat(hash(bytes)).isEqualTo(digest);
    assertThat(bytes).hasSize(described.path("size").asInt());
    return blob;
  }

  private static String hash(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static JsonNode json(Path file) throws Exception {
    return new ObjectMapper().readTree(Files.readAllBytes(file));
  }

  private static byte[] output(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    byte[] output = process.getInputStream().readAllBytes();
    assertThat(process.waitFor()).isZero();
    return output;
  }
}
