package dev.regroup.cli.convert;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.check.Finding;
import dev.regroup.cli.check.WrittenPods.WrittenPod;
import java.util.List;

/**
 * Gives an agent sidecar the released names of its settings (jobset.md section 8). An agent is
 * taken for one of the draft when it has the draft's variable for its exit code, or its namespace
 * in a variable and the draft's endpoint.
 */
final class AgentNames {

  private static final String DRAFT_EXIT_CODE = "RESTART_POD_IN_PLACE_EXIT_CODE";
  private static final String DRAFT_PATH = "/barrier-is-lifted";
  private static final int DRAFT_PORT = 8080;

  private AgentNames() {}

  static void release(WrittenPod pod, List<Finding> notes) {
    var containers = Trees.objects(pod.spec(), "initContainers");
    for (int i = 0; i < containers.size(); i++) {
      ObjectNode container = containers.get(i);
      if (isDraft(container)) {
        String field = pod.field() + ".initContainers[" + i + "]";
        boolean account = !Trees.text(pod.spec(), "serviceAccountName").isEmpty();
        variables(container, field, account, notes);
        endpoint(container, field, notes);
      }
    }
  }

  private static boolean isDraft(ObjectNode container) {
    boolean endpoint = Trees.text(container, "startupProbe", "httpGet", "path").equals(DRAFT_PATH);
    return Trees.objects(container, "env").stream()
        .map(variable -> Trees.text(variable, "name"))
        .anyMatch(name -> name.equals(DRAFT_EXIT_CODE) || (name.equals("NAMESPACE") && endpoint));
  }

  private static void variables(
      ObjectNode container, String field, boolean account, List<Finding> notes) {
    if (!(container.get("env") instanceof ArrayNode variables)) {
      return;
    }
    for (int i = variables.size() - 1; i >= 0; i--) {
      if (!(variables.get(i) instanceof ObjectNode variable)) {
        continue;
      }
      String at = field + ".env[" + i + "]";
      switch (Trees.text(variable, "name")) {
        case DRAFT_EXIT_CODE -> {
          variable.put("name", "IN_PLACE_RESTART_EXIT_CODE");
          notes.add(Finding.warning(at, "draft name, written as IN_PLACE_RESTART_EXIT_CODE"));
        }
        case "NAMESPACE" -> {
          variables.remove(i);
          notes.add(
              Finding.warning(
                  at,
                  "left out, the agent reads its service account's file"
                      + (account
                          ? ""
                          : "; the Pod names no account (set serviceAccountName to one that may"
                              + " patch Pods and watch JobSets)")));
        }
        default -> {} // the same in both
      }
    }
  }

  private static void endpoint(ObjectNode container, String field, List<Finding> notes) {
    var get = Trees.object(container, "startupProbe", "httpGet");
    if (get.isEmpty() || !Trees.text(get.get(), "path").equals(DRAFT_PATH)) {
      return;
    }
    get.get().put("path", "/barrier-is-down");
    if (Trees.number(get.get(), "port").orElse(0) == DRAFT_PORT) {
      get.get().put("port", 8081);
    }
    notes.add(
        Finding.warning(
            field + ".startupProbe.httpGet", "draft endpoint, written as /barrier-is-down, 8081"));
  }
}
