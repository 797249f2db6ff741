package dev.regroup.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitsTest {

  @TempDir Path folder;

  @Test
  void a_figure_within_its_limit_is_fine() throws Exception {
    assertThat(limits("start = 3").broken(List.of(millis("start", 29, 10)))).isEmpty();
  }

  @Test
  void a_figure_above_its_limit_is_named_with_both_numbers() throws Exception {
    assertThat(limits("start = 3").broken(List.of(millis("start", 31, 10))))
        .containsExactly("start: 3.1 times the floor, the limit is 3.0");
  }

  @Test
  void a_rate_costs_more_the_smaller_it_is() throws Exception {
    var slow = new Figure("writes", Figure.Unit.PER_SECOND, samples(1000), samples(5000));

    assertThat(limits("writes = 4").broken(List.of(slow)))
        .containsExactly("writes: 5.0 times the floor, the limit is 4.0");
  }

  @Test
  void a_figure_nobody_limited_fails() throws Exception {
    assertThat(limits("").broken(List.of(millis("new", 1, 1)))).hasSize(1);
  }

  @Test
  void a_tail_is_judged_only_with_samples_enough() throws Exception {
    var limits = limits("start = 3\nstart.p99 = 4");
    var few = new Figure("start", Figure.Unit.MILLIS, samples(20, 20, 90), samples(10, 10, 10));
    var many =
        new Figure(
            "start",
            Figure.Unit.MILLIS,
            new Samples(IntStream.range(0, 100).mapToObj(i -> i < 98 ? 20.0 : 90.0).toList()),
            new Samples(Collections.nCopies(100, 10.0)));

    assertThat(limits.broken(List.of(few))).isEmpty();
    assertThat(limits.broken(List.of(many)))
        .containsExactly("start.p99: 9.0 times the floor, the limit is 4.0");
  }

  @Test
  void of_few_samples_the_best_is_judged_and_of_many_the_median() throws Exception {
    var limits = limits("start = 3\nwrites = 3");
    var disturbed =
        new Figure("start", Figure.Unit.MILLIS, samples(90, 90, 20), samples(10, 10, 10));
    var cold = new Figure("writes", Figure.Unit.PER_SECOND, samples(10, 50), samples(100, 100));
    var slow =
        new Figure(
            "start",
            Figure.Unit.MILLIS,
            new Samples(IntStream.range(0, 10).mapToObj(i -> i < 4 ? 20.0 : 90.0).toList()),
            new Samples(Collections.nCopies(10, 10.0)));

    assertThat(limits.broken(List.of(disturbed, cold))).isEmpty();
    assertThat(limits.broken(List.of(slow)))
        .containsExactly("start: 9.0 times the floor, the limit is 3.0");
  }

  private Limits limits(String text) throws Exception {
    return Limits.read(Files.writeString(folder.resolve("limits.properties"), text));
  }

  private static Figure millis(String name, double measured, double floor) {
    return new Figure(name, Figure.Unit.MILLIS, samples(measured), samples(floor));
  }

  private static Samples samples(double... values) {
    return new Samples(DoubleStream.of(values).boxed().toList());
  }
}
