package dev.regroup.api.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Undecodable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * What Kubernetes' Go library 0.36 writes: for every kind of its scheme an empty object, one with
 * every field and one with fields and zeros by chance, each as protobuf and as JSON without nulls.
 */
record GoBytes(byte[] protobuf, ObjectNode tree) {

  private static final String RECORDED = "go-client-0.36.txt.gz";

  static List<GoBytes> all() {
    try (var in = requireNonNull(GoBytes.class.getResourceAsStream(RECORDED), RECORDED);
        var text = new GZIPInputStream(in)) {
      return new String(text.readAllBytes(), UTF_8).lines().map(GoBytes::of).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static GoBytes of(String line) {
    int space = line.indexOf(' ');
    try {
      return new GoBytes(
          Base64.getDecoder().decode(line.substring(0, space)),
          Document.parse(line.substring(space + 1).getBytes(UTF_8)).tree());
    } catch (Undecodable e) {
      throw new IllegalStateException("the recorded bytes are broken", e);
    }
  }

  GroupVersionKind kind() {
    return GroupVersionKind.of(tree.path("apiVersion").asText(), tree.path("kind").asText());
  }

  @Override
  public String toString() {
    return kind() + " " + tree;
  }
}
