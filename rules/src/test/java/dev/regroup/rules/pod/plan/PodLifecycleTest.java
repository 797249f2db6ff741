package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.plan.PodLifecycle.Fact;
import dev.regroup.rules.pod.plan.PodLifecycle.Stage;
import dev.regroup.rules.pod.plan.PodLifecycle.Step;
import dev.regroup.rules.pod.plan.PodLifecycle.Transition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of RAC-24: every row is taken by a pod here, and the picture shows the same table. */
@Rule("RAC-24")
class PodLifecycleTest {
  private static final Path PICTURE =
      Path.of("src/main/java/dev/regroup/rules/pod/plan/lifecycle.mmd");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  static List<Transition> rows() {
    return PodLifecycle.TABLE;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void a_pod_takes_every_way_of_the_table(Transition row) {
    var node = podThatTakes(row);

    assertThat(node.plans).extracting(PodPlan::step).contains(new Step(row.from(), row.to()));
  }

  private static SimNode podThatTakes(Transition row) {
    var node =
        switch (row.from()) {
          case IDLE, ENDING, ENDED -> steady();
          case TERMINATING -> stubborn();
          case WAITING, STARTING -> loop();
        };
    switch (row.from()) {
      case IDLE, ENDING, ENDED -> node.run(MINUTE);
      case TERMINATING -> node.run(Duration.ofSeconds(2));
      case WAITING -> node.run(Duration.ofSeconds(6));
      case STARTING -> node.run(Duration.ofMillis(2500));
    }
    switch (row.fact()) {
      case TRIGGERED -> node.request = new PodRestartRequest.Asked("r", "why", Duration.ZERO, "");
      case END_DECIDED, ALL_DOWN -> node.deletion = new Deletion.Asked(node.now, Duration.ZERO);
      case DOWN, BACK_OFF_OVER, ALL_STARTED -> {}
      case DOWN_TOO_SOON -> node = loop();
    }
    node.run(MINUTE);
    return node;
  }

  private static SimNode steady() {
    return pod(NEVER).c("m").node();
  }

  /** Its victim takes a while to stop. */
  private static SimNode stubborn() {
    return pod(NEVER)
        .c("src", exit(42), forever())
        .pol(NEVER)
        .rules(all(42))
        .c("deaf", forever().deaf())
        .node();
  }

  /** Restarts itself again and again, with an init container that takes a while. */
  private static SimNode loop() {
    return pod(NEVER)
        .i("init", exitAfter(0, Duration.ofSeconds(1)))
        .c("src", exit(42), exit(42), exit(42), forever())
        .pol(NEVER)
        .rules(all(42))
        .node();
  }

  @Test
  void no_pod_takes_a_way_the_table_does_not_have() {
    var node = loop();
    node.run(Duration.ofMinutes(10));

    assertThat(node.plans)
        .extracting(PodPlan::step)
        .filteredOn(Step::moves)
        .isNotEmpty()
        .allMatch(step ->
            PodLifecycle.TABLE.stream()
                .anyMatch(row -> row.from() == step.from() && row.to() == step.to()));
  }

  @ParameterizedTest
  @EnumSource
  void a_pod_stays_where_it_is_when_nothing_holds(Stage stage) {
    assertThat(PodLifecycle.next(stage, _ -> false)).isEmpty();
    assertThat(PodLifecycle.next(Stage.ENDED, _ -> true)).isEmpty();
  }

  @Test
  @Rule("SEQ-20")
  void the_first_fact_that_holds_decides() {
    var all = EnumSet.allOf(Fact.class);

    assertThat(PodLifecycle.next(Stage.STARTING, all::contains).orElseThrow().fact())
        .isEqualTo(Fact.END_DECIDED);
    all.remove(Fact.END_DECIDED);
    assertThat(PodLifecycle.next(Stage.STARTING, all::contains).orElseThrow().fact())
        .isEqualTo(Fact.TRIGGERED);
    all.remove(Fact.TRIGGERED);
    assertThat(PodLifecycle.next(Stage.STARTING, all::contains).orElseThrow().fact())
        .isEqualTo(Fact.ALL_STARTED);
  }

  @Test
  void the_picture_beside_the_class_is_not_stale() throws IOException {
    if ("fix".equals(System.getProperty("diagram"))) {
      Files.writeString(PICTURE, PodLifecycle.diagram());
    }

    assertThat(Files.readString(PICTURE))
        .as("write it again with -Ddiagram=fix")
        .isEqualTo(PodLifecycle.diagram());
  }
}
