package dev.regroup.cli.explain;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.Gates.Component;
import dev.regroup.api.job.JobReader;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.check.PodTemplate;
import dev.regroup.cli.local.NodeGates;
import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.job.FailurePolicy;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.PodSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Explains the exits of every container of a pod template. The codes to ask about are 0, each code
 * that a rule of the container or the Job's failure policy names, and one that nobody names, which
 * stands for all others; codes with one answer become one row.
 */
public final class Explainer {

  private static final int LARGEST_CODE = 255;
  private static final int SIGKILL_CODE = 137;

  private final NodeSettings settings;
  private final JobSetGates gates;

  public Explainer(NodeSettings settings, JobSetGates gates) {
    this.settings = settings;
    this.gates = gates;
  }

  /** For a cluster whose parts have these gates. */
  public static Explainer of(Gates gates) {
    return new Explainer(
        NodeGates.of(gates),
        new JobSetGates(
            gates.on(Gate.IN_PLACE_RESTART, Component.CONTROL),
            gates.on(Gate.RESTART_JOB, Component.CONTROL),
            gates.on(Gate.ELASTIC_JOB_SET, Component.CONTROL)));
  }

  /** What happens to the pods of this template of this admitted object. */
  public Explanation explain(ObjectNode object, PodTemplate template) {
    var world = new World(object, template);
    var rows = new ArrayList<Explanation.Row>();
    for (ContainerSpec container : world.pod.containers()) {
      if (container.kind() != ContainerKind.EPHEMERAL) {
        rows.addAll(rows(world, container));
      }
    }
    return explanation(object, template, rows);
  }

  /** One exit of one container; empty when the template has no such container. */
  public Optional<Explanation> explain(
      ObjectNode object, PodTemplate template, ExitQuestion question) {
    var world = new World(object, template);
    return world.pod.containers().stream()
        .filter(one -> one.name().equals(question.container()))
        .filter(one -> one.kind() != ContainerKind.EPHEMERAL)
        .findFirst()
        .map(one -> explanation(object, template, List.of(world.row(one, question.exit()))));
  }

  private static Explanation explanation(
      ObjectNode object, PodTemplate template, List<Explanation.Row> rows) {
    return new Explanation(
        Trees.text(object, "kind"),
        Trees.text(object, "metadata", "name"),
        template.replicatedJob(),
        rows);
  }

  private static List<Explanation.Row> rows(World world, ContainerSpec container) {
    var named = namedCodes(container, world.failureRules);
    var rows = new ArrayList<>(classes(world, container, named, 0));
    boolean oom =
        container.rules().stream()
            .anyMatch(rule -> rule.condition() instanceof ExitRule.Condition.OomKill);
    if (oom) {
      rows.add(world.row(container, new Exit(SIGKILL_CODE, Exit.Cause.OUT_OF_MEMORY, 0)));
    }
    for (int times : restartTimes(container)) {
      for (var late : classes(world, container, named, times)) {
        if (rows.stream().noneMatch(row -> row.sameAs(late))) {
          rows.add(late); // only what the number of restarts changes
        }
      }
    }
    return rows;
  }

  /** One row per answer; codes nobody names come last. */
  private static List<Explanation.Row> classes(
      World world, ContainerSpec container, NavigableSet<Integer> named, int restarts) {
    var rows = new ArrayList<Explanation.Row>();
    for (int code : named) {
      add(rows, world.row(container, new Exit(code, Exit.Cause.ORDINARY, restarts)));
    }
    int other = 1;
    while (named.contains(other)) {
      other++;
    }
    if (other > LARGEST_CODE) {
      return rows; // every code is named
    }
    var rest = world.row(container, new Exit(other, Exit.Cause.ORDINARY, restarts));
    rows.removeIf(row -> row.sameAs(rest));
    var reach = rows.isEmpty() ? ExitClass.Reach.ANY : ExitClass.Reach.ANY_OTHER;
    rows.add(rest.with(new ExitClass(List.of(), reach, Exit.Cause.ORDINARY, restarts)));
    return rows;
  }

  private static void add(List<Explanation.Row> rows, Explanation.Row next) {
    for (int i = 0; i < rows.size(); i++) {
      var row = rows.get(i);
      if (row.sameAs(next)) {
        var codes = new ArrayList<>(row.exit().codes());
        codes.addAll(next.exit().codes());
        rows.set(
            i,
            row.with(
                new ExitClass(
                    codes, row.exit().reach(), row.exit().cause(), row.exit().afterRestarts())));
        return;
      }
    }
    rows.add(next);
  }

  private static NavigableSet<Integer> namedCodes(
      ContainerSpec container, List<FailurePolicy.Rule> failureRules) {
    var named = new TreeSet<Integer>();
    named.add(0);
    for (ExitRule rule : container.rules()) {
      if (rule.condition() instanceof ExitRule.Condition.ExitCodes codes) {
        named.addAll(codes.values());
      }
    }
    for (var rule : failureRules) {
      if (rule.container() == null || rule.container().equals(container.name())) {
        named.addAll(rule.codes());
      }
    }
    named.removeIf(code -> code < 0 || code > LARGEST_CODE); // no exit has such a code (API-21)
    return named;
  }

  private static List<Integer> restartTimes(ContainerSpec container) {
    var times = new TreeSet<Integer>();
    for (ExitRule rule : container.rules()) {
      if (rule.condition() instanceof ExitRule.Condition.RestartTimes(int atLeast) && atLeast > 0) {
        times.add(atLeast);
      }
    }
    return List.copyOf(times);
  }

  /** The three plans that are asked about one template. */
  private final class World {
    final PodSpec pod;
    final List<FailurePolicy.Rule> failureRules;
    private final ImaginedPod imaginedPod;
    private final Optional<ImaginedJob> job;
    private final Optional<ImaginedJobSet> jobSet;
    private final PodTemplate template;

    World(ObjectNode object, PodTemplate template) {
      this.template = template;
      this.pod = template.spec();
      this.imaginedPod = new ImaginedPod(pod, settings);
      var jobSpec = template.job().flatMap(JobReader::spec);
      this.failureRules =
          jobSpec.flatMap(JobSpec::podFailurePolicy).map(FailurePolicy::rules).orElse(List.of());
      this.job = jobSpec.map(ImaginedJob::new);
      this.jobSet = template.replicatedJob().isEmpty() ? Optional.empty() : jobSet(object);
    }

    private Optional<ImaginedJobSet> jobSet(ObjectNode object) {
      var spec = JobSetReader.spec(object);
      return spec.jobs().stream()
          .filter(entry -> entry.name().equals(template.replicatedJob()))
          .findFirst()
          .map(entry -> new ImaginedJobSet(spec, entry, gates));
    }

    Explanation.Row row(ContainerSpec container, Exit exit) {
      var outcome = imaginedPod.after(container, exit);
      var decider = Decider.of(settings.gates(), pod, container, exit, outcome);
      boolean agent = pod.agentContainer().equals(container.name());
      var jobOutcome = job.map(one -> one.after(outcome));
      var jobSetOutcome =
          jobOutcome.flatMap(of -> jobSet.map(one -> one.after(outcome, of, agent)));
      return new Explanation.Row(
          container.name(),
          container.kind(),
          new ExitClass(
              List.of(exit.code()), ExitClass.Reach.LISTED, exit.cause(), exit.restarts()),
          decider,
          outcome,
          jobOutcome.orElse(null),
          jobSetOutcome.orElse(null));
    }
  }
}
