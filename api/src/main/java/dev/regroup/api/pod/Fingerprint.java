package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.util.TreeMap;

/** Equal for equal image and resources: what back-off is kept by (BKO-01) and DEC-49 looks at. */
final class Fingerprint {

  private Fingerprint() {}

  static String of(JsonNode container) {
    var image = Trees.text(container, "image");
    var text = text(container, "requests") + text(container, "limits");
    return text.equals("{}{}") ? image : image + " " + text;
  }

  private static String text(JsonNode container, String field) {
    return new TreeMap<>(Trees.map(container, "resources", field)).toString();
  }
}
