package dev.regroup.api.admission.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.AgentMarks;
import dev.regroup.api.tree.Trees;
import java.util.Optional;
import java.util.Set;

/**
 * What the Job creation step adds to a Job of an in-place JobSet (JS-132b): the kind of agent on
 * its pod template, the agent itself where it is a container, and restart rules on workers that
 * have none. Explicit user settings win, a template with an agent of its own keeps it.
 *
 * <p>Pure; called by the JobSet controller with the Job tree it is about to create. The rendezvous
 * variables (JS-168) are set by the node when a container starts, because they need the completion
 * index.
 */
public final class AgentInjection {

  /** The agent that restarts pods without any container of its own (JS-165). */
  public static final String NODE = "node";

  /** A sidecar whose startup probe is the barrier (JS-130). */
  public static final String SIDECAR = "sidecar";

  /** An agent that runs the worker as its child and outlives it (JS-132a). */
  public static final String PROCESS = "process";

  private static final String NONE = "none";
  private static final String PRESENT = "present";
  private static final Set<String> KINDS = Set.of(NONE, PRESENT, SIDECAR, PROCESS, NODE);

  /** The account of agents that are part of a pod (JS-149c). */
  public static final String SERVICE_ACCOUNT = "jobset-in-place-restart";

  private AgentInjection() {}

  /** As on Regroup's own nodes, where the node is the agent unless the user picks another. */
  public static void inject(ObjectNode job, ObjectNode jobSet, ObjectNode replicatedJob) {
    inject(job, jobSet, replicatedJob, AgentSettings.LOCAL);
  }

  /** Changes the Job; {@code replicatedJob} is the entry of the JobSet it is made from. */
  public static void inject(
      ObjectNode job, ObjectNode jobSet, ObjectNode replicatedJob, AgentSettings settings) {
    if (!JobSetValidation.isInPlace(jobSet.path("spec"))) {
      return;
    }
    String choice = choice(jobSet, replicatedJob);
    if (choice.equals("false")) {
      return;
    }
    ObjectNode template = Trees.child(Trees.child(job, "spec"), "template");
    ObjectNode podSpec = Trees.child(template, "spec");
    String kind = kind(choice, podSpec, settings);
    ObjectNode annotations = Trees.child(Trees.child(template, "metadata"), "annotations");
    annotations.put(JobSetKeys.INJECT_AGENT, kind);
    if (kind.equals(NONE) || kind.equals(PRESENT)) {
      return;
    }
    var workers = new Workers(podSpec, Trees.at(job, "spec", "podFailurePolicy", "rules"));
    var agent = new AgentContainer(settings.withImageOf(choice), workers, annotations);
    boolean added = AgentMarks.find(podSpec).isEmpty();
    workers.addRules();
    if (added) {
      agent.add(podSpec, kind);
    }
  }

  /** The account of pods of this Job whose agent speaks to the API server; empty without one. */
  public static Optional<String> account(ObjectNode job) {
    var template = Trees.at(job, "spec", "template");
    String account = Trees.text(template, "spec", "serviceAccountName");
    String kind = Trees.text(template, "metadata", "annotations", JobSetKeys.INJECT_AGENT);
    boolean speaks =
        account.equals(SERVICE_ACCOUNT) || kind.equals(SIDECAR) || kind.equals(PROCESS);
    return speaks && !account.isEmpty() ? Optional.of(account) : Optional.empty();
  }

  /** What the user asked for; the replicated Job's template wins over the JobSet. */
  public static String choice(ObjectNode jobSet, ObjectNode replicatedJob) {
    JsonNode own = Trees.at(replicatedJob, "template", "metadata", "annotations");
    String choice = Trees.text(own, JobSetKeys.INJECT_AGENT);
    if (!choice.isEmpty()) {
      return choice;
    }
    String common = Trees.text(jobSet, "metadata", "annotations", JobSetKeys.INJECT_AGENT);
    return common.equals(NONE) ? "" : common; // only one replicated Job can stand aside
  }

  static String kind(String choice, ObjectNode podSpec, AgentSettings settings) {
    if (KINDS.contains(choice)) {
      return choice;
    }
    if (AgentMarks.find(podSpec).isPresent()) {
      return PRESENT;
    }
    return namesImage(choice) ? SIDECAR : settings.defaultKind();
  }

  /** Any other text than a kind or a switch is the image of an agent. */
  static boolean namesImage(String choice) {
    return !choice.isEmpty() && !choice.equals("true") && !KINDS.contains(choice);
  }
}
