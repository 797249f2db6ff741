package dev.regroup.cli.explain;

import dev.regroup.rules.pod.ContainerKind;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer for one pod template.
 *
 * @param replicatedJob entry of a JobSet, empty elsewhere
 */
public record Explanation(String kind, String name, String replicatedJob, List<Row> rows) {

  /** One class of exits of one container and what follows. */
  record Row(
      String container,
      ContainerKind containerKind,
      ExitClass exit,
      Decider decider,
      PodOutcome pod,
      @Nullable JobOutcome ownJob,
      @Nullable JobSetOutcome ownJobSet) {

    Optional<JobOutcome> job() {
      return Optional.ofNullable(ownJob);
    }

    Optional<JobSetOutcome> jobSet() {
      return Optional.ofNullable(ownJobSet);
    }

    /** Whether the same happens for the same reason. */
    boolean sameAs(Row other) {
      return decider.equals(other.decider)
          && pod.kind() == other.pod.kind()
          && pod.phase() == other.pod.phase()
          && job().map(JobOutcome::text).equals(other.job().map(JobOutcome::text))
          && jobSet().equals(other.jobSet());
    }

    Row with(ExitClass exits) {
      return new Row(container, containerKind, exits, decider, pod, ownJob, ownJobSet);
    }
  }

  public Explanation {
    rows = List.copyOf(rows);
  }

  /** {@code JobSet/train, replicated job workers}. */
  String title() {
    return kind + "/" + name + (replicatedJob.isEmpty() ? "" : ", replicated job " + replicatedJob);
  }
}
