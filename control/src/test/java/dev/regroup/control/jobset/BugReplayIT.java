package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.replay.BugFiles;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.Road;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.testing.ExpectsError;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the JobSet controller saw when it met a bug can be decided again, without a cluster. */
class BugReplayIT {

  @TempDir Path directory;

  @Test
  @ExpectsError(value = "jobset: default/train met a bug", because = "the first order fails")
  void what_a_pass_saw_when_it_met_a_bug_is_decided_again() throws Exception {
    var failed = new AtomicBoolean();
    var bugs = BugFiles.in(directory.resolve("bugs"), InstantSource.system());
    try (var plane =
        new ControlPlane(
            directory.resolve("data"),
            Road.IN_PROCESS,
            bugs,
            point -> {
              if (point.equals("before-order") && failed.compareAndSet(false, true)) {
                throw new IllegalStateException("planted");
              }
            })) {
      var group = new PlayedGroup(plane.admin());
      group.create(1, "\"maxRestarts\":3,");
      var pods = group.awaitPods(2);
      group.report(pods, 0);
      group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);

      group.restarting(pods.getFirst(), 17);
      group.await(status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    }

    var plan =
        BugFiles.read(directory.resolve("bugs/jobset-default_train.json"), JobSetLook.class)
            .plan(new RePatterns());

    assertThat(plan.write()).isEqualTo(JobSetPlan.Write.ORDER);
    assertThat(plan.status().group().barrier().previous()).isEqualTo(OptionalInt.of(0));
  }
}
