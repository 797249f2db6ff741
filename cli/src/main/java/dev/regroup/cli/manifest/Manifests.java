package dev.regroup.cli.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.api.yaml.Position;
import dev.regroup.api.yaml.YamlDocument;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.api.yaml.YamlFailure;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The objects of the files named on the command line, each with the place it was written at. */
public final class Manifests {

  /** One object of a file. A {@code List} is taken apart, so this is never one. */
  public record Manifest(String file, YamlDocument document, ObjectNode object, String pointer) {

    String apiVersion() {
      return object.path("apiVersion").asText("");
    }

    String kind() {
      return object.path("kind").asText("");
    }

    String name() {
      return object.path("metadata").path("name").asText("");
    }

    /** {@code file:line:column} of a field, or of the nearest parent that is there. */
    String at(String fieldPointer) {
      return file + ":" + document.place(pointer + fieldPointer);
    }
  }

  private Manifests() {}

  /** Reads every file; {@code -} is standard input. The first thing wrong ends it. */
  public static List<Manifest> read(List<Path> files, InputStream in) throws CliFailure {
    var manifests = objects(files, in);
    for (Manifest manifest : manifests) {
      for (String field : List.of("apiVersion", "kind")) {
        if (Trees.text(manifest.object(), field).isEmpty()) {
          throw new CliFailure(manifest.at("/" + field) + ": " + field + ": Required value");
        }
      }
    }
    return manifests;
  }

  /** The same for those who check kinds themselves, so that every object gets its say. */
  public static List<Manifest> objects(List<Path> files, InputStream in) throws CliFailure {
    var manifests = new ArrayList<Manifest>();
    for (Path file : files) {
      String name = file.toString().equals("-") ? "<stdin>" : file.toString();
      try {
        for (YamlDocument document : YamlDocuments.read(bytes(file, in))) {
          add(manifests, name, document);
        }
      } catch (YamlFailure e) {
        throw new CliFailure(name + ":" + e.position() + ": " + e.problem(), e);
      }
    }
    if (manifests.isEmpty()) {
      throw new CliFailure("no objects in " + files + " (write a manifest into it)");
    }
    return manifests;
  }

  private static byte[] bytes(Path file, InputStream in) throws CliFailure {
    try {
      if (file.toString().equals("-")) {
        return in.readAllBytes();
      }
      if (Files.isDirectory(file)) {
        throw new CliFailure(file + ": is a directory (name the files in it)");
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new CliFailure(file + ": cannot be read: " + Reason.of(e), e);
    }
  }

  private static void add(List<Manifest> manifests, String file, YamlDocument document)
      throws CliFailure {
    var manifest = manifest(file, document, document.root(), "");
    if (!manifest.kind().endsWith("List") || !manifest.object().path("items").isArray()) {
      manifests.add(manifest);
      return;
    }
    int index = 0;
    for (var item : manifest.object().path("items")) {
      manifests.add(manifest(file, document, item, "/items/" + index++));
    }
  }

  private static Manifest manifest(
      String file, YamlDocument document, JsonNode node, String pointer) throws CliFailure {
    Position place = document.place(pointer);
    if (!(node instanceof ObjectNode object)) {
      throw new CliFailure(file + ":" + place + ": is not an object (apiVersion, kind, ...)");
    }
    return new Manifest(file, document, object, pointer);
  }
}
