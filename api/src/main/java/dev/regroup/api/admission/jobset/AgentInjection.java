package dev.regroup.api.admission.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.Trees;
import dev.regroup.api.jobset.JobSetKeys;
import java.util.List;
import java.util.TreeSet;

/**
 * What the Job creation step adds to a Job of an in-place JobSet (JS-132b): the kind of agent on
 * its pod template and restart rules on workers that have none. Explicit user settings win, a
 * template with an agent of its own keeps it.
 *
 * <p>Pure; called by the JobSet controller with the Job tree it is about to create. The rendezvous
 * variables (JS-168) are set by the node when a container starts, because they need the completion
 * index.
 */
public final class AgentInjection {

  /** The agent that restarts pods without any container of its own (JS-165). */
  public static final String NODE = "node";

  private static final String WORKER_COMMAND = "WORKER_COMMAND";

  private AgentInjection() {}

  /** Changes the Job; {@code replicatedJob} is the entry of the JobSet it is made from. */
  public static void inject(ObjectNode job, ObjectNode jobSet, ObjectNode replicatedJob) {
    if (!JobSetValidation.isInPlace(jobSet.path("spec"))) {
      return;
    }
    String choice = choice(jobSet, replicatedJob);
    if (choice.equals("false")) {
      return;
    }
    ObjectNode template = Trees.child(Trees.child(job, "spec"), "template");
    ObjectNode podSpec = Trees.child(template, "spec");
    String kind = kind(choice, podSpec);
    ObjectNode annotations = Trees.child(Trees.child(template, "metadata"), "annotations");
    annotations.put(JobSetKeys.INJECT_AGENT, kind);
    if (!kind.equals(NODE)) {
      return;
    }
    for (ObjectNode container : Trees.objects(podSpec, "containers")) {
      workerRules(container, Trees.at(job, "spec", "podFailurePolicy", "rules"));
    }
  }

  /** What the user asked for; the replicated Job's template wins over the JobSet. */
  static String choice(ObjectNode jobSet, ObjectNode replicatedJob) {
    JsonNode own = Trees.at(replicatedJob, "template", "metadata", "annotations");
    String choice = Trees.text(own, JobSetKeys.INJECT_AGENT);
    return choice.isEmpty()
        ? Trees.text(jobSet, "metadata", "annotations", JobSetKeys.INJECT_AGENT)
        : choice;
  }

  private static String kind(String choice, ObjectNode podSpec) {
    return switch (choice) {
      case "none", "present", "sidecar", "process", NODE -> choice;
      default -> hasAgent(podSpec) ? "present" : NODE;
    };
  }

  /** A sidecar that restarts all containers, or a container that runs the worker (JS-57a). */
  static boolean hasAgent(JsonNode podSpec) {
    boolean sidecar =
        Trees.objects(podSpec, "initContainers").stream()
            .filter(c -> Trees.text(c, "restartPolicy").equals("Always"))
            .flatMap(c -> Trees.objects(c, "restartPolicyRules").stream())
            .anyMatch(rule -> Trees.text(rule, "action").equals("RestartAllContainers"));
    return sidecar
        || Trees.objects(podSpec, "containers").stream()
            .flatMap(c -> Trees.objects(c, "env").stream())
            .anyMatch(variable -> Trees.text(variable, "name").equals(WORKER_COMMAND));
  }

  /** A container with an own policy other than Never is a helper and stays as it is (JS-160). */
  private static void workerRules(ObjectNode container, JsonNode failureRules) {
    String policy = Trees.text(container, "restartPolicy");
    boolean helper = !policy.isEmpty() && !policy.equals("Never");
    if (helper || !container.path("restartPolicyRules").isEmpty()) {
      return;
    }
    container.put("restartPolicy", "Never");
    ObjectNode rule = Trees.list(container, "restartPolicyRules").addObject();
    rule.put("action", "RestartAllContainers");
    rule.set("exitCodes", restartCodes(Trees.text(container, "name"), failureRules));
  }

  /**
   * Every code but 0 and those that must reach the Job as a failure. Each code named by the policy
   * is judged by its first matching rule; so is "any other code", which decides the operator.
   */
  private static ObjectNode restartCodes(String container, JsonNode failureRules) {
    var named = new TreeSet<Integer>();
    for (JsonNode rule : failureRules) {
      Trees.at(rule, "onExitCodes", "values").forEach(code -> named.add(code.intValue()));
    }
    int other = named.isEmpty() ? 1 : named.last() + 1;
    boolean othersFail = fails(other, container, failureRules);
    ObjectNode codes = Wire.object();
    codes.put("operator", othersFail ? "In" : "NotIn");
    ArrayNode values = codes.putArray("values");
    if (!othersFail) {
      values.add(0);
    }
    for (int code : named) {
      if (code != 0 && fails(code, container, failureRules) != othersFail) {
        values.add(code);
      }
    }
    return codes;
  }

  private static boolean fails(int code, String container, JsonNode failureRules) {
    for (JsonNode rule : failureRules) {
      JsonNode on = rule.path("onExitCodes");
      String target = Trees.text(on, "containerName");
      if (!on.isObject() || !(target.isEmpty() || target.equals(container))) {
        continue;
      }
      boolean listed = false;
      for (JsonNode value : on.path("values")) {
        listed |= value.intValue() == code;
      }
      if (listed == Trees.text(on, "operator").equals("In")) {
        return List.of("FailJob", "FailIndex").contains(Trees.text(rule, "action"));
      }
    }
    return false;
  }
}
