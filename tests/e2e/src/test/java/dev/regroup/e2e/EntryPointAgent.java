package dev.regroup.e2e;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.jobset.AgentSettings;
import java.io.IOException;

/**
 * An agent that is the entry point of its worker's container and ends with it (main-container mode,
 * JS-132). Nobody adds one: users write it themselves, as here.
 */
public final class EntryPointAgent {

  /** What a JobSet says that brings its own agents. */
  public static final String ANNOTATION = "present";

  /** Where the agent's launcher looks for its files. */
  private static final String PROGRAM = "/in-place-restart";

  private EntryPointAgent() {}

  /** Has the first container's shell script run below an agent. */
  public static void addTo(ObjectNode podSpec) throws IOException {
    podSpec.put("serviceAccountName", "jobset-in-place-restart").put("restartPolicy", "Never");
    podSpec
        .withArrayProperty("initContainers")
        .add(
            Kube.JSON.readTree(
                """
                {"name": "install", "image": "%s", "command": ["%s", "install", "/install"],
                 "volumeMounts": [{"name": "agent", "mountPath": "/install"}]}\
                """
                    .formatted(AgentSettings.IMAGE, AgentSettings.COMMAND)));
    podSpec
        .withArrayProperty("volumes")
        .add(Kube.JSON.readTree("{\"name\": \"agent\", \"emptyDir\": {}}"));
    var worker = (ObjectNode) podSpec.at("/containers/0");
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
