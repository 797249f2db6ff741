package dev.regroup.cli.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  @Test
  void puts_the_figures_of_two_reports_side_by_side() throws Exception {
    var tree =
        Comparison.tree(
            both(
                report(30, 0.5, restart(6, "running", 5.5, 40)),
                report(20, 0.8, restart(1, "noticed", 0.5, 40), restart(2, "noticed", 1.5, 10))));

    assertThat(ComparisonText.of(tree))
        .isEqualTo(
            """
                                                  Recreate  InPlaceRestart
            result                               succeeded       succeeded
            wall time                               30.00s          20.00s
            goodput                                  50.0%           80.0%
            restarts                                     1               2
            standing still, in all                   6.00s           3.00s
            standing still, each restart             6.00s           1.50s
              until noticed                              -           1.00s
              until running                          5.50s               -
            doing steps again                        1.00s           1.00s
            steps done twice                            40              50\
            """
                .stripIndent());
  }

  @Test
  void what_is_not_known_is_left_open_and_a_comparison_of_nothing_says_so() throws Exception {
    var empty = Wire.tree("{\"result\":\"succeeded\",\"seconds\":2}".getBytes("UTF-8"));

    var text = ComparisonText.of(Comparison.tree(both(empty, empty)));

    assertThat(text)
        .containsPattern("goodput +- +-")
        .containsPattern("steps done twice +- +-")
        .endsWith("nothing restarted (hurt the workers with --chaos 'kill worker 0 after 5s')");
  }

  private static Map<Strategy, ObjectNode> both(ObjectNode recreate, ObjectNode inPlace) {
    var reports = new EnumMap<Strategy, ObjectNode>(Strategy.class);
    reports.put(Strategy.IN_PLACE, inPlace);
    reports.put(Strategy.RECREATE, recreate);
    return reports;
  }

  private static ObjectNode report(double seconds, double goodput, ObjectNode... restarts) {
    var report = Wire.object().put("result", "succeeded").put("seconds", seconds);
    report.putObject("goodput").put("ratio", goodput).put("redoingSeconds", 1);
    var list = report.putArray("restarts");
    for (var restart : restarts) {
      list.add(restart);
    }
    return report;
  }

  private static ObjectNode restart(double down, String until, double seconds, int redone) {
    var restart = Wire.object().put("downSeconds", down).put("redoneSteps", redone);
    restart.putArray("stages").addObject().put("until", until).put("seconds", seconds);
    return restart;
  }
}
