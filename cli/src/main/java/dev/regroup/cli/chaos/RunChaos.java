package dev.regroup.cli.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.pod.ProgressPattern;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.run.RunFollower;
import dev.regroup.cli.run.RunScreen;
import dev.regroup.cli.screen.CliFailure;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The chaos of a run; without a plan nothing at all. One thread. */
public final class RunChaos implements AutoCloseable {

  private static final Set<String> WORKLOADS = Set.of("JobSet", "Job", "Pod");

  private final Optional<ChaosPlan> plan;
  private final RunScreen screen;
  private @Nullable ChaosScreen listening;
  private @Nullable Chaos chaos;
  private List<JsonNode> objects = List.of();

  public RunChaos(Optional<ChaosPlan> plan, RunScreen screen) {
    this.plan = plan;
    if (plan.isPresent()) {
      var heard = new ChaosScreen(screen, () -> ProgressPattern.lines(annotations()));
      this.listening = heard;
      this.screen = heard;
    } else {
      this.screen = screen;
    }
  }

  /** Where the run is to be shown. */
  public RunScreen screen() {
    return screen;
  }

  /** Begins to hurt these workloads. */
  public void start(List<JsonNode> made, RunFollower follower, HarmRoads roads) throws CliFailure {
    start(made, follower, roads, () -> {});
  }

  /** The same, and calls back when the plan is done and everything runs again. */
  void start(List<JsonNode> made, RunFollower follower, HarmRoads roads, Runnable onEnd)
      throws CliFailure {
    objects = made.stream().filter(one -> WORKLOADS.contains(Trees.text(one, "kind"))).toList();
    var heard = listening;
    if (plan.isEmpty() || heard == null || objects.isEmpty()) {
      return;
    }
    var namespaces =
        objects.stream()
            .map(one -> Trees.text(one, "metadata", "namespace"))
            .collect(Collectors.toSet());
    if (namespaces.size() > 1) {
      throw new CliFailure(
          "--chaos: the workloads are in several namespaces (hurt those of one at a time)");
    }
    int workers = Chaos.Scene.workers(objects);
    chaos =
        Chaos.start(
            new Chaos.Scene(plan.get(), namespaces.iterator().next(), workers, follower, heard),
            roads,
            onEnd);
  }

  /** Tells in the report what was done. */
  public ObjectNode addTo(ObjectNode report) {
    if (chaos != null) {
      report.set("chaos", chaos.tree());
    }
    return report;
  }

  /** Whether everything planned was done. */
  boolean isDone() {
    return chaos != null && chaos.isDone();
  }

  /** How somebody's own steps look, as the workers' template says. */
  private Map<String, String> annotations() {
    return objects.stream()
        .flatMap(one -> Trees.objects(one, "spec", "replicatedJobs").stream())
        .map(job -> Trees.map(job, "template", "spec", "template", "metadata", "annotations"))
        .filter(one -> !one.isEmpty())
        .findFirst()
        .orElseGet(() ->
            objects.isEmpty()
                ? Map.of()
                : Trees.map(objects.getFirst(), "metadata", "annotations"));
  }

  @Override
  public void close() {
    if (chaos != null) {
      try {
        chaos.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // it was told to end
      }
    }
  }
}
