package dev.regroup.cli.figure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.metric.MetricFamily;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What was counted and timed stands on the page as a scraper reads it. */
class FigureKeeperTest {

  private final FigureKeeper keeper = new FigureKeeper();

  @Test
  void counters_and_gauges_have_a_line_per_labels() {
    var falls = MetricFamily.counter("falls_total", "Falls", "cause", "place");
    keeper.count(falls, "ice \"black\"", "a");
    keeper.count(falls, "ice \"black\"", "a");
    keeper.count(falls, "", "b");
    keeper.gauge(MetricFamily.gauge("down", "Who lies"), () -> 2);

    assertThat(page())
        .contains(
            "# HELP falls_total Falls\n# TYPE falls_total counter\n",
            "falls_total{cause=\"ice \\\"black\\\"\",place=\"a\"} 2.0\n",
            "falls_total{cause=\"\",place=\"b\"} 1.0\n",
            "# TYPE down gauge\ndown 2.0\n");
  }

  @Test
  void series_that_are_asked_for_go_with_what_they_are_about() {
    var laps = MetricFamily.counter("laps_total", "Laps", "runner");
    Map<List<String>, Double> runners = new ConcurrentHashMap<>();
    keeper.series(laps, () -> runners);
    runners.put(List.of("ann"), 3.0);
    runners.put(List.of("bob"), 1.0);

    assertThat(page())
        .contains(
            "# TYPE laps_total counter\n",
            "laps_total{runner=\"ann\"} 3.0\n",
            "laps_total{runner=\"bob\"} 1.0\n");

    runners.remove(List.of("ann"));

    assertThat(page()).contains("bob").doesNotContain("ann");
  }

  @Test
  void a_time_at_a_bound_is_in_the_bucket_of_that_bound() {
    var times = MetricFamily.histogram("walk_seconds", "Walks");
    keeper.took(times, Duration.ofMillis(50));
    keeper.took(times, Duration.ofMillis(51));
    keeper.took(times, Duration.ofMinutes(5));

    assertThat(page())
        .contains(
            "walk_seconds_bucket{le=\"0.025\"} 0\n",
            "walk_seconds_bucket{le=\"0.05\"} 1\n",
            "walk_seconds_bucket{le=\"0.1\"} 2\n",
            "walk_seconds_bucket{le=\"60.0\"} 2\n",
            "walk_seconds_bucket{le=\"+Inf\"} 3\n",
            "walk_seconds_count 3\n",
            "walk_seconds_sum 300.");
  }

  @Test
  void the_figures_of_the_jvm_stand_beside_them() {
    assertThat(page()).contains("jvm_memory_used_bytes{area=\"heap\"}");
  }

  private String page() {
    return keeper.page().orElseThrow();
  }
}
