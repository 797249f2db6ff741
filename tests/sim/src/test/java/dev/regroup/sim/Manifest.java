package dev.regroup.sim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.List;

/**
 * The JobSet of a world as a user would write it, drawn from the seed; admission fills in the rest.
 */
record Manifest(
    ObjectNode jobSet, boolean fatalCodes, boolean ends, boolean sick, boolean helpers) {

  static final String NAME = "train";
  static final int FATAL = 3;

  static Manifest draw(Simulation sim) {
    boolean fatal = sim.chance(0.35);
    boolean ends = sim.chance(0.25);
    boolean helpers = !fatal && !ends && sim.chance(0.2); // they keep alive a pod that has ended
    var jobSet = Wire.object();
    jobSet.put("apiVersion", "jobset.x-k8s.io/v1alpha2").put("kind", "JobSet");
    jobSet.putObject("metadata").put("name", NAME);
    var spec = jobSet.putObject("spec");
    spec.putObject("network").put("enableDNSHostnames", false);
    failurePolicy(sim, spec, fatal);
    int jobs = sim.chance(0.3) ? 2 : 1;
    if (jobs == 2 && sim.chance(0.5)) {
      spec.putObject("startupPolicy").put("startupPolicyOrder", "InOrder");
    }
    var list = spec.putArray("replicatedJobs");
    for (int i = 0; i < jobs; i++) {
      replicatedJob(sim, list.addObject(), i, fatal, helpers);
    }
    return new Manifest(jobSet, fatal, ends, sim.chance(0.2), helpers);
  }

  private static void failurePolicy(Simulation sim, ObjectNode spec, boolean fatal) {
    var policy = spec.putObject("failurePolicy");
    policy.put("maxRestarts", sim.draw(7)).put("restartStrategy", "InPlaceRestart");
    if (fatal && sim.chance(0.8)) {
      var rule = policy.putArray("rules").addObject().put("name", "fatal");
      rule.put(
          "action",
          sim.oneOf(
              List.of(
                  "FailJobSet",
                  "RestartJobSet",
                  "RestartJobSetAndIgnoreMaxRestarts",
                  "RestartJob")));
      rule.putArray("onJobFailureReasons").add("PodFailurePolicy");
    }
  }

  private static void replicatedJob(
      Simulation sim, ObjectNode entry, int number, boolean fatal, boolean helpers) {
    entry.put("name", number == 0 ? "w" : "v").put("replicas", 1 + sim.draw(2));
    var spec = entry.putObject("template").putObject("spec");
    int size = 1 + sim.draw(3);
    spec.put("parallelism", size).put("completions", size);
    if (sim.chance(0.1)) {
      spec.put("completionMode", "NonIndexed");
    }
    if (fatal) {
      var rule = spec.putObject("podFailurePolicy").putArray("rules").addObject();
      rule.put("action", "FailJob");
      rule.putObject("onExitCodes").put("operator", "In").putArray("values").add(FATAL);
    }
    var pod = spec.putObject("template").putObject("spec");
    pod.put("restartPolicy", "Never").put("terminationGracePeriodSeconds", sim.draw(4));
    if (sim.chance(0.4)) {
      var prepare = container(pod.putArray("initContainers").addObject(), "prepare");
      if (sim.chance(0.5)) { // fails at the barrier and has everything start again
        var rule = prepare.put("restartPolicy", "Never").putArray("restartPolicyRules").addObject();
        rule.put("action", "RestartAllContainers");
        rule.putObject("exitCodes").put("operator", "In").putArray("values").add(1);
      }
      if (sim.chance(0.4)) {
        container(pod.withArrayProperty("initContainers").addObject(), "log")
            .put("restartPolicy", "Always");
      }
    }
    var containers = pod.putArray("containers");
    container(containers.addObject(), "worker");
    if (!fatal && sim.chance(0.15)) {
      container(containers.addObject(), "worker2");
    }
    if (helpers && sim.chance(0.7)) {
      container(containers.addObject(), "helper").put("restartPolicy", "Always");
    }
  }

  private static ObjectNode container(ObjectNode container, String name) {
    return container.put("name", name).put("image", "none");
  }
}
