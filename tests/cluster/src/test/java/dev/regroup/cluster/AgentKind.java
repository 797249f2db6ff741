package dev.regroup.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.e2e.Kube;
import dev.regroup.e2e.Workers;
import java.io.IOException;
import java.util.Locale;

/** How a pod gets its agent. */
enum AgentKind {
  /** A container beside the worker; the kubelet restarts all containers. */
  SIDECAR("sidecar"),
  /** The worker's entry point, which ends with it; the kubelet restarts that container. */
  MAIN_CONTAINER("present"),
  /** The worker's parent, which outlives it; no container restarts. */
  PROCESS("process");

  /** Where the agent's launcher looks for its files. */
  private static final String PROGRAM = "/in-place-restart";

  private final String annotation;

  AgentKind(String annotation) {
    this.annotation = annotation;
  }

  /** What a JobSet says of its agent. */
  String annotation() {
    return annotation;
  }

  /** For names of objects. */
  String word() {
    return name().toLowerCase(Locale.ROOT).replaceAll("_.*", "");
  }

  /** How often the worker's container has restarted after so many restarts of the group. */
  int restarts(int ofGroup) {
    return this == PROCESS ? 0 : ofGroup;
  }

  /** What users of this kind write themselves; nobody adds an agent as entry point for them. */
  void addTo(ObjectNode jobSet) throws IOException {
    if (this != MAIN_CONTAINER) {
      return;
    }
    var template = (ObjectNode) jobSet.at("/spec/replicatedJobs/0/template/spec/template/spec");
    template.put("serviceAccountName", "jobset-in-place-restart").put("restartPolicy", "Never");
    template.set(
        "initContainers",
        Kube.JSON.readTree(
            """
            [{"name": "install", "image": "%s", "command": ["%s", "install", "/install"],
              "volumeMounts": [{"name": "agent", "mountPath": "/install"}]}]\
            """
                .formatted(AgentSettings.IMAGE, AgentSettings.COMMAND)));
    template
        .withArrayProperty("volumes")
        .add(Kube.JSON.readTree("{\"name\": \"agent\", \"emptyDir\": {}}"));
    var worker = (ObjectNode) template.at("/containers/0");
    var script = worker.path("command").path(2).asText();
    worker
        .withArrayProperty("volumeMounts")
        .add(Kube.JSON.readTree("{\"name\": \"agent\", \"mountPath\": \"%s\"}".formatted(PROGRAM)));
    worker.putArray("command").add(PROGRAM + "/in-place-restart-agent");
    worker.put("restartPolicy", "Never");
    worker.set(
        "restartPolicyRules",
        Kube.JSON.readTree(
            """
            [{"action": "Restart", "exitCodes": {"operator": "NotIn", "values": [0, %d]}}]\
            """
                .formatted(Workers.FATAL)));
    ArrayNode variables = worker.putArray("env");
    variables.addObject().put("name", "WORKER_COMMAND").put("value", script);
    reference(variables, "JOBSET_NAME", "metadata.annotations['jobset.sigs.k8s.io/jobset-name']");
    reference(variables, "POD_NAME", "metadata.name");
  }

  private static void reference(ArrayNode variables, String name, String path) {
    var variable = variables.addObject().put("name", name);
    variable.putObject("valueFrom").putObject("fieldRef").put("fieldPath", path);
  }
}
