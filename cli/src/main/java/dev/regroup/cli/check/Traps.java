package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.AgentMarks;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.PodSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Things that are allowed and hardly ever meant: rules without effect, restarts without end, groups
 * that hang. Found by asking the rules about every exit there can be.
 */
public final class Traps {

  private static final long LONG_BARRIER = 600; // ten minutes at the barrier, as in JS-131

  private final Set<RuleGate> gates;

  public Traps(Set<RuleGate> gates) {
    this.gates = gates;
  }

  /** Warnings about an object that was admitted without errors. */
  public List<Finding> find(ObjectNode admitted, List<PodTemplate> templates) {
    var findings = new ArrayList<Finding>();
    boolean inPlace =
        Trees.text(admitted, "spec", "failurePolicy", "restartStrategy").equals("InPlaceRestart");
    budget(admitted, findings);
    for (PodTemplate template : templates) {
      PodSpec pod = template.spec();
      for (ContainerSpec container : pod.containers()) {
        if (container.kind() != ContainerKind.EPHEMERAL) {
          var rules = new ContainerTraps(gates, pod, container, field(template, pod, container));
          findings.addAll(rules.find(template.job().isPresent()));
        }
      }
      countedRestarts(template, pod, findings);
      if (inPlace) {
        missingAgent(template, findings);
      }
      if (inPlace && !pod.agentContainer().isEmpty()) {
        agent(template, pod, findings);
      }
    }
    return findings;
  }

  /** The path of a container's entry; positions count within the list it stands in. */
  private static String field(PodTemplate template, PodSpec pod, ContainerSpec container) {
    boolean init = container.kind().isInitEntry();
    var list = init ? pod.initEntries() : pod.regular();
    return template.field()
        + (init ? ".initContainers[" : ".containers[")
        + list.indexOf(container)
        + "]";
  }

  /** Without a budget the first failure is the last. */
  private static void budget(ObjectNode admitted, List<Finding> findings) {
    JsonNode policy = Trees.at(admitted, "spec", "failurePolicy");
    if (!policy.isObject() || Trees.number(policy, "maxRestarts").orElse(0) > 0) {
      return;
    }
    boolean free =
        Trees.objects(policy, "rules").stream()
            .anyMatch(rule -> Trees.text(rule, "action").endsWith("IgnoreMaxRestarts"));
    if (!free) {
      findings.add(
          Finding.warning(
              "spec.failurePolicy.maxRestarts",
              "is 0, so the first failure fails the JobSet (set it to the restarts you allow)"));
    }
  }

  /** RAC-79: under OnFailure the Job counts what restarts inside a pod. */
  private void countedRestarts(PodTemplate template, PodSpec pod, List<Finding> findings) {
    var job = template.job();
    if (job.isEmpty() || pod.restartPolicy() != RestartPolicy.ON_FAILURE) {
      return;
    }
    long limit = Trees.number(job.get(), "spec", "backoffLimit").orElse(6);
    boolean all =
        pod.containers().stream()
            .flatMap(container -> container.rules().stream())
            .anyMatch(rule -> rule.action() == ExitRule.Action.RESTART_ALL_CONTAINERS);
    if (all && limit < Integer.MAX_VALUE) {
      findings.add(
          Finding.warning(
              template.field() + ".restartPolicy",
              ("is OnFailure, so every container that a restart of all containers starts again"
                      + " counts against backoffLimit %d (use Never, or a high backoffLimit;"
                      + " RAC-79)")
                  .formatted(limit)));
    }
  }

  /** An agent that runs the worker must know what to run (JS-132a). */
  private static void missingAgent(PodTemplate template, List<Finding> findings) {
    JsonNode pod = template.pod();
    String kind = Trees.text(pod, "metadata", "annotations", JobSetKeys.INJECT_AGENT);
    boolean runs =
        Trees.objects(pod, "spec", "containers").stream().anyMatch(AgentMarks::runsWorker);
    if (kind.equals("process") && !runs) {
      findings.add(
          Finding.warning(
              template.field() + ".containers[0].command",
              "is not set, so the process agent has nothing to run and the barrier cannot lift"
                  + " (write the worker's command; JS-132a)"));
    }
  }

  private void agent(PodTemplate template, PodSpec pod, List<Finding> findings) {
    for (ContainerSpec container : pod.ofKind(ContainerKind.SIDECAR)) {
      if (!container.name().equals(pod.agentContainer())) {
        continue;
      }
      String field = field(template, pod, container);
      var decision =
          ExitDecision.of(
              gates, pod.restartPolicy(), container.ownPolicy(), container.rules(), Exit.of(0));
      if (decision instanceof ExitDecision.Restart) {
        findings.add(
            Finding.warning(
                field + ".restartPolicyRules",
                "when the agent exits with 0 only the agent restarts, and the group hangs (let the"
                    + " rule match every code: operator NotIn, values []; JS-138)"));
      }
      barrier(template.pod(), container.name(), field, findings);
    }
  }

  /** JS-131, JS-133: the worker must wait for the agent's probe, and long enough. */
  private static void barrier(ObjectNode pod, String agent, String field, List<Finding> findings) {
    for (ObjectNode container : Trees.objects(pod, "spec", "initContainers")) {
      if (!Trees.text(container, "name").equals(agent)) {
        continue;
      }
      if (!Trees.has(container, "startupProbe")) {
        findings.add(
            Finding.warning(
                field,
                "has no startupProbe, so workers start without waiting for the group (add one for"
                    + " the agent's barrier endpoint; JS-130)"));
        return;
      }
      JsonNode probe = container.path("startupProbe");
      long seconds =
          Trees.number(probe, "failureThreshold").orElse(3)
              * Trees.number(probe, "periodSeconds").orElse(10);
      if (seconds < LONG_BARRIER) {
        findings.add(
            Finding.warning(
                field + ".startupProbe.failureThreshold",
                ("gives the group %d s to gather; a slower start restarts the Pod and uses up"
                        + " maxRestarts (allow at least %d s; JS-131)")
                    .formatted(seconds, LONG_BARRIER)));
      }
    }
  }
}
