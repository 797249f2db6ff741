package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/**
 * A field that Regroup fills in for a JobSet and JobSet's own webhook does not (JS-42a, JS-42b): a
 * portable manifest has to say it.
 *
 * @param parent the object the field is missing in
 * @param name of the field in its parent
 * @param field path from the JobSet
 */
public record FilledIn(ObjectNode parent, String name, String field, JsonNode value) {

  static boolean isInPlace(ObjectNode jobSet) {
    return Trees.text(jobSet, "spec", "failurePolicy", "restartStrategy").equals("InPlaceRestart");
  }

  /** Writes the field. */
  public void write() {
    parent.set(name, value);
  }

  /** What is missing in this JobSet; nothing for other kinds. */
  public static List<FilledIn> of(ObjectNode object) {
    var missing = new ArrayList<FilledIn>();
    var entries = Trees.objects(object, "spec", "replicatedJobs");
    for (int i = 0; i < entries.size(); i++) {
      String path = "spec.replicatedJobs[" + i + "].template.spec.";
      var spec = Trees.object(entries.get(i), "template", "spec");
      if (spec.isPresent()) {
        if (isInPlace(object)) {
          inPlace(spec.get(), path, missing);
        }
        podPolicy(spec.get(), path, missing);
      }
    }
    return missing;
  }

  private static void inPlace(ObjectNode spec, String path, List<FilledIn> missing) {
    add(spec, "backoffLimit", path, IntNode.valueOf(Integer.MAX_VALUE), missing);
    add(spec, "podReplacementPolicy", path, TextNode.valueOf("Failed"), missing);
    JsonNode size = IntNode.valueOf(1);
    for (String field : List.of("completions", "parallelism")) {
      size = Trees.has(spec, field) ? spec.path(field) : size;
    }
    add(spec, "completions", path, size, missing);
    add(spec, "parallelism", path, size, missing);
  }

  /** A pod failure policy needs Never; JobSet's webhook would make it OnFailure. */
  private static void podPolicy(ObjectNode spec, String path, List<FilledIn> missing) {
    var podSpec = Trees.object(spec, "template", "spec");
    if (Trees.has(spec, "podFailurePolicy") && podSpec.isPresent()) {
      String at = path + "template.spec.";
      add(podSpec.get(), "restartPolicy", at, TextNode.valueOf("Never"), missing);
    }
  }

  private static void add(
      ObjectNode parent, String name, String path, JsonNode value, List<FilledIn> missing) {
    if (!Trees.has(parent, name)) {
      missing.add(new FilledIn(parent, name, path + name, value));
    }
  }
}
