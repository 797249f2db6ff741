package dev.regroup.cli.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.jobset.JobSetSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** An admitted JobSet as its planner wants it, as far as exits are concerned. */
final class JobSetReader {

  private JobSetReader() {}

  static JobSetSpec read(ObjectNode jobSet) {
    JsonNode spec = jobSet.path("spec");
    return new JobSetSpec(
        Trees.text(jobSet, "metadata", "namespace"),
        Trees.text(jobSet, "metadata", "name"),
        "uid",
        jobs(spec),
        Optional.empty(), // whether there is a Service changes nothing about an exit
        new JobSetSpec.SuccessPolicy(
            Trees.text(spec, "successPolicy", "operator").equals("Any")
                ? JobSetSpec.Operator.ANY
                : JobSetSpec.Operator.ALL,
            Trees.texts(spec, "successPolicy", "targetReplicatedJobs")),
        Trees.object(spec, "failurePolicy").map(JobSetReader::failurePolicy),
        JobSetSpec.StartOrder.ANY_ORDER,
        false,
        Optional.empty(),
        OptionalInt.empty(),
        List.of());
  }

  private static List<JobSetSpec.ReplicatedJob> jobs(JsonNode spec) {
    var jobs = new ArrayList<JobSetSpec.ReplicatedJob>();
    for (ObjectNode entry : Trees.objects(spec, "replicatedJobs")) {
      JsonNode template = Trees.at(entry, "template", "spec");
      var completions = Trees.number(template, "completions");
      String agent =
          Trees.text(entry, "template", "metadata", "annotations", JobSetKeys.INJECT_AGENT);
      jobs.add(
          new JobSetSpec.ReplicatedJob(
              Trees.text(entry, "name"),
              Trees.text(entry, "groupName"),
              (int) Trees.number(entry, "replicas").orElse(1),
              (int) Trees.number(template, "parallelism").orElse(1),
              completions.isPresent()
                  ? OptionalInt.of((int) completions.getAsLong())
                  : OptionalInt.empty(),
              !Trees.text(template, "completionMode").equals("NonIndexed"),
              List.of(), // the group is in step when the exit comes
              !agent.equals("none"))); // JS-132b
    }
    return jobs;
  }

  private static JobSetSpec.FailurePolicy failurePolicy(ObjectNode policy) {
    var rules = new ArrayList<JobSetSpec.FailureRule>();
    for (ObjectNode rule : Trees.objects(policy, "rules")) {
      for (var action : JobSetSpec.FailureAction.values()) {
        if (action.wireName().equals(Trees.text(rule, "action"))) {
          rules.add(
              new JobSetSpec.FailureRule(
                  Trees.text(rule, "name"),
                  action,
                  Trees.texts(rule, "onJobFailureReasons"),
                  Trees.texts(rule, "onJobFailureMessagePatterns"),
                  Trees.texts(rule, "targetReplicatedJobs")));
        }
      }
    }
    return new JobSetSpec.FailurePolicy(
        (int) Trees.number(policy, "maxRestarts").orElse(0),
        switch (Trees.text(policy, "restartStrategy")) {
          case "InPlaceRestart" -> JobSetSpec.Strategy.IN_PLACE_RESTART;
          case "BlockingRecreate" -> JobSetSpec.Strategy.BLOCKING_RECREATE;
          default -> JobSetSpec.Strategy.RECREATE;
        },
        rules);
  }
}
