package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.group.GroupLifecycle.Fact;
import dev.regroup.rules.group.GroupLifecycle.Stage;
import dev.regroup.rules.group.GroupLifecycle.Transition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of a group: every row is taken by a group here, and the picture shows the same. */
class GroupLifecycleTest {
  private static final Path PICTURE =
      Path.of("src/main/java/dev/regroup/rules/group/lifecycle.mmd");
  private static final Sign EXIT = Sign.of(Sign.Kind.WORKER_EXITED, "p1", "worker", 1);

  static List<Transition> rows() {
    return GroupLifecycle.TABLE;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void a_group_takes_every_way_of_the_table(Transition row) {
    var plan = groupAt(row.from(), row.fact()).plan();

    assertThat(plan.taken()).contains(row);
    assertThat(reached(plan)).isEqualTo(row.to());
  }

  /** Two places, in this stage, of which this fact holds and none that comes before it. */
  private static GroupFixture groupAt(Stage stage, Fact fact) {
    var group = new GroupFixture(2);
    switch (stage) {
      case STARTING -> {}
      case RUNNING, FAILED -> group.running(0).allAt(2, 0);
      case RESTARTING -> group.status(0, 0).allAt(2, 0);
    }
    int next = group.status.barrier().next();
    switch (fact) {
      case RUNAWAY -> group.counters.put(restless());
      case BUDGET_SPENT -> {
        group.maxRestarts = 0;
        group.at(1, next);
      }
      case IN_STEP -> group.allAt(2, next);
      case TRIGGERED_AFTER_SUCCESS -> {
        group.put("p0", 0, new AttemptReport.At(next - 1), PodReading.Life.SUCCEEDED, null);
        group.put("p1", 1, new AttemptReport.At(next - 1), PodReading.Life.LIVE, EXIT);
      }
      case TRIGGERED -> group.at(1, next);
      case SUCCEEDED_MEANWHILE -> {
        group.running(0).put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, EXIT);
        group.step(); // told to restart
        group.put("p0", 0, new AttemptReport.At(0), PodReading.Life.SUCCEEDED, null);
      }
    }
    return group;
  }

  private static PodReading restless() {
    return new PodReading(
        "p0",
        "p0",
        World.JOB,
        OptionalInt.of(0),
        AttemptReport.NONE,
        PodReading.Life.LIVE,
        null,
        4,
        false);
  }

  /** Where the plan takes the group once its status is written. */
  private static Stage reached(GroupPlan plan) {
    return switch (plan.step()) {
      case GroupPlan.Step.Fail _ -> Stage.FAILED;
      case GroupPlan.Step.Recreate _ -> Stage.of(plan.status().recreated().barrier());
      case GroupPlan.Step.Lift _, GroupPlan.Step.Restart _, GroupPlan.Step.Rest _ ->
          Stage.of(plan.status().barrier());
    };
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"JS-144"})
  void a_group_stays_where_it_is_when_nothing_holds(Stage stage) {
    assertThat(GroupLifecycle.next(stage, _ -> false)).isEmpty();
    assertThat(GroupLifecycle.next(Stage.FAILED, _ -> true)).isEmpty();
  }

  @Test
  void the_first_fact_that_holds_decides() {
    var all = EnumSet.allOf(Fact.class);

    assertThat(GroupLifecycle.next(Stage.RUNNING, all::contains).orElseThrow().fact())
        .isEqualTo(Fact.RUNAWAY);
    all.remove(Fact.RUNAWAY);
    assertThat(GroupLifecycle.next(Stage.RUNNING, all::contains).orElseThrow().fact())
        .isEqualTo(Fact.BUDGET_SPENT);
    all.remove(Fact.BUDGET_SPENT);
    assertThat(GroupLifecycle.next(Stage.RUNNING, all::contains).orElseThrow().fact())
        .isEqualTo(Fact.IN_STEP);
  }

  @Test
  void the_picture_beside_the_class_is_not_stale() throws IOException {
    if ("fix".equals(System.getProperty("diagram"))) {
      Files.writeString(PICTURE, GroupLifecycle.diagram());
    }

    assertThat(Files.readString(PICTURE))
        .as("write it again with -Ddiagram=fix")
        .isEqualTo(GroupLifecycle.diagram());
  }
}
