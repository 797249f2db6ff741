package dev.regroup.client.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.queue.PassObserver.End;
import dev.regroup.client.queue.PassObserver.Pass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every pass is timed, a failed and a slow one counted (JS-97a). */
class PassFiguresTest {

  private final List<String> figures = new ArrayList<>();
  private final PassFigures passes =
      new PassFigures((family, value, labels) ->
          figures.add(family.name() + " " + value + " " + List.of(labels)));

  @Test
  void a_quick_pass_is_only_timed() {
    passes.passed(pass(Duration.ofMillis(50), 3, End.SETTLED));

    assertThat(figures)
        .containsExactly(
            "workqueue_queue_duration_seconds 0.007 [jobset]",
            "controller_runtime_reconcile_time_seconds 0.05 [jobset]");
    assertThat(passes.waiting("jobset")).isEqualTo(3);
  }

  @Test
  void a_slow_pass_that_failed_is_counted_twice() {
    passes.passed(pass(Duration.ofMillis(51), 0, End.FAILED));

    assertThat(figures)
        .contains(
            "controller_runtime_reconcile_errors_total 1.0 [jobset]",
            "controller_slow_passes_total 1.0 [jobset]");
  }

  @Test
  void the_depth_of_a_queue_is_what_its_last_pass_saw() {
    passes.passed(pass(Duration.ZERO, 9, End.AGAIN));
    passes.passed(pass(Duration.ZERO, 8, End.AGAIN));

    assertThat(passes.waiting("jobset")).isEqualTo(8);
  }

  private static Pass pass(Duration took, int waiting, End end) {
    return new Pass("jobset", "default/train", Duration.ofMillis(7), took, waiting, end);
  }
}
