package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.FieldPath;
import dev.regroup.api.admission.Trees;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** What a pod spec may say but hardly means, as texts for Warning headers. */
public final class PodWarnings {

  private PodWarnings() {}

  public static List<String> of(JsonNode spec, FieldPath path) {
    var warnings = new ArrayList<String>();
    long grace = Trees.number(spec, "terminationGracePeriodSeconds").orElse(0);
    if (grace < 0) {
      warnings.add(
          path.field("terminationGracePeriodSeconds")
              + ": must be >= 0; negative values are invalid and will be treated as 1");
    }
    for (String list : List.of("initContainers", "containers")) {
      var containers = Trees.objects(spec, list);
      for (int i = 0; i < containers.size(); i++) {
        container(spec, containers.get(i), path.field(list).index(i), warnings);
      }
    }
    return warnings;
  }

  private static void container(
      JsonNode spec, ObjectNode container, FieldPath path, List<String> warnings) {
    var places = new HashMap<String, Integer>();
    var variables = Trees.objects(container, "env");
    for (int i = 0; i < variables.size(); i++) {
      String name = Trees.text(variables.get(i), "name");
      Integer first = places.putIfAbsent(name, i);
      if (first != null && !Trees.text(variables.get(i), "value").contains("$(" + name + ")")) {
        warnings.add(
            "%s: hides previous definition of \"%s\", which may be dropped when using apply"
                .formatted(path.field("env").index(i), name));
      }
    }
    if (Trees.has(container, "lifecycle", "onCompletion") && effectivelyAlways(spec, container)) {
      warnings.add(
          path.field("lifecycle", "onCompletion")
              + ": never fires while the container is always restarted (VAL-16)");
    }
  }

  private static boolean effectivelyAlways(JsonNode spec, ObjectNode container) {
    String own = Trees.text(container, "restartPolicy");
    String policy = own.isEmpty() ? Trees.text(spec, "restartPolicy") : own;
    return policy.equals("Always") && container.path("restartPolicyRules").isEmpty();
  }
}
