package dev.regroup.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.api.yaml.YamlFailure;
import dev.regroup.upstream.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The real Helm, for one cluster.
 *
 * @param home where it keeps what it has learned; not the user's
 */
record Helm(Path program, Path kubeconfig, Path home) {

  /** The chart of this repository. */
  static final String CHART = Path.of("../../deploy/chart").toAbsolutePath().normalize().toString();

  /** Runs it to its end, which must be a good one, and returns what it printed. */
  String run(String... arguments) throws IOException, InterruptedException {
    var words = new ArrayList<>(List.of("env", "KUBECONFIG=" + kubeconfig));
    for (var kind : List.of("CACHE", "CONFIG", "DATA")) {
      words.add("HELM_%s_HOME=%s".formatted(kind, home));
    }
    words.add(program.toString());
    words.addAll(List.of(arguments));
    return Command.run(RegroupOnCluster.PATIENCE, words);
  }

  /** The objects among the documents of a manifest. */
  static List<JsonNode> objects(String yaml) throws YamlFailure {
    var objects = new ArrayList<JsonNode>();
    for (var document : YamlDocuments.read(yaml.getBytes(UTF_8))) {
      if (document.root().isObject()) {
        objects.add(document.root());
      }
    }
    return objects;
  }
}
