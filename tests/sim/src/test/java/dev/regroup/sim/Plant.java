package dev.regroup.sim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.informer.Delta;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.jobset.ChildJob;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.plan.PodPlan;
import java.time.Instant;
import java.util.Optional;

/**
 * The places where a mistake can be planted: what the real parts get to see and what becomes of
 * what they say. This one plants nothing. One per world; it may remember.
 */
public class Plant {

  /** What the pod's plan sees, and what it plans. */
  public PodPlan pod(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
    return PodPlan.plan(spec, seen, settings, now);
  }

  /** The group's orders as the node of a pod hands them on; empty: not read yet. */
  public Optional<GroupOrders> orders(Optional<GroupOrders> read) {
    return read;
  }

  /** What a node writes about a pod; empty: nothing. */
  public Optional<ObjectNode> report(ObjectNode patch) {
    return Optional.of(patch);
  }

  /** A pod as the Job controller gets to read it. */
  public ObjectNode podOfJob(ObjectNode pod) {
    return pod;
  }

  /** A pod as the JobSet controller gets to read it. */
  public ObjectNode podOfGroup(ObjectNode pod) {
    return pod;
  }

  /** Whether the JobSet controller hears of a change. */
  public boolean hears(Delta<ControlledPod> change) {
    return true;
  }

  /** A Job as its JobSet sees it. */
  public ChildJob child(ChildJob job) {
    return job;
  }

  /** What is known of the group. */
  public JobSetPlan.Group group(JobSetPlan.Group seen) {
    return seen;
  }

  /** What is done about a JobSet. */
  public JobSetPlan jobSet(JobSetPlan plan) {
    return plan;
  }

  /** The patch that is written for it. */
  public ObjectNode status(ObjectNode patch) {
    return patch;
  }

  /** What is done about a Job. */
  public JobPlan job(JobPlan plan) {
    return plan;
  }

  /** How well the Job controller sees its own writes. */
  public JobPlan.Sight sight(JobPlan.Sight sight) {
    return sight;
  }

  /** Whether a controller that met a conflict reads again. */
  public boolean rereads() {
    return true;
  }

  /** Whether the node looks at the network of a sandbox it takes over. */
  public boolean checksNetwork() {
    return true;
  }

  /** Whether a Job is asked before its pod's failure is held against the group. */
  public boolean asks() {
    return true;
  }

  /** Whether a watch that broke lists what it has missed. */
  public boolean listsAgain() {
    return true;
  }
}
