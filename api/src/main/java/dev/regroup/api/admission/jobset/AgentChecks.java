package dev.regroup.api.admission.jobset;

import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.pod.AgentMarks;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Optional;

/**
 * What the agents of an in-place JobSet need that only a cluster can lack: a command that an agent
 * can run as its child, and rights for a service account that is not theirs (JS-132h).
 */
public final class AgentChecks {

  private final AgentSettings settings;
  private final String role;

  /**
   * @param settings of this cluster
   * @param role that agents have
   */
  public AgentChecks(AgentSettings settings, String role) {
    this.settings = settings;
    this.role = role;
  }

  /** The kind of agent that pods of a replicated Job get; empty for none. */
  public String kind(ObjectNode jobSet, ObjectNode replicatedJob) {
    String choice = AgentInjection.choice(jobSet, replicatedJob);
    if (!JobSetValidation.isInPlace(jobSet.path("spec")) || choice.equals("false")) {
      return "";
    }
    return Trees.object(replicatedJob, "template", "spec", "template", "spec")
        .map(podSpec -> AgentInjection.kind(choice, podSpec, settings))
        .orElse("");
  }

  /** The container that an agent will run as its child; empty when none will. */
  public Optional<String> ranByAgent(ObjectNode jobSet, ObjectNode replicatedJob) {
    return Trees.object(replicatedJob, "template", "spec", "template", "spec")
        .filter(_ -> kind(jobSet, replicatedJob).equals(AgentInjection.PROCESS))
        .filter(podSpec -> AgentMarks.find(podSpec).isEmpty())
        .flatMap(AgentChecks::worker)
        .map(worker -> Trees.text(worker, "name"));
  }

  private static Optional<ObjectNode> worker(ObjectNode podSpec) {
    return new Workers(podSpec, podSpec.path("none")).containers().stream().findFirst();
  }

  /** Of one entry of {@code spec.replicatedJobs}. */
  public void check(
      ObjectNode jobSet,
      ObjectNode replicatedJob,
      FieldPath path,
      List<FieldError> errors,
      List<String> warnings) {
    String kind = kind(jobSet, replicatedJob);
    boolean added = kind.equals(AgentInjection.SIDECAR) || kind.equals(AgentInjection.PROCESS);
    var podSpec = Trees.object(replicatedJob, "template", "spec", "template", "spec");
    if (!added || podSpec.isEmpty() || AgentMarks.find(podSpec.get()).isPresent()) {
      return;
    }
    FieldPath at = path.field("template", "spec", "template", "spec");
    if (kind.equals(AgentInjection.PROCESS)) {
      command(podSpec.get(), at, errors);
    }
    account(jobSet, podSpec.get(), at, warnings);
  }

  private static void command(ObjectNode podSpec, FieldPath at, List<FieldError> errors) {
    var containers = Trees.objects(podSpec, "containers");
    var worker = worker(podSpec);
    if (worker.isPresent() && worker.get().path("command").isEmpty()) {
      errors.add(
          required(
              at.field("containers").index(containers.indexOf(worker.get())).field("command"),
              "an agent of kind process runs the worker itself and cannot know what the image would"
                  + " run"));
    }
  }

  private void account(ObjectNode jobSet, ObjectNode podSpec, FieldPath at, List<String> warnings) {
    String own = Trees.text(podSpec, "serviceAccountName");
    if (own.isEmpty() || own.equals(AgentInjection.SERVICE_ACCOUNT)) {
      return;
    }
    String namespace = Trees.text(jobSet, "metadata", "namespace");
    warnings.add(
        "%s: its agents need a role: kubectl -n %s create rolebinding %s-agent --clusterrole=%s --serviceaccount=%s:%s"
            .formatted(at.field("serviceAccountName"), namespace, own, role, namespace, own));
  }
}
